/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ioctl.h - the tracing device, /dev/dtrace/dtrace: a session is an open file.
 *
 *	open -> [CONF] -> ENABLE (DOF: options, clauses) ... -> GO -> BUFSNAP, AGGSNAP,
 *		STATUS ... -> STOP -> close
 *
 * ENABLE may be called several times before GO. GO fires BEGIN, STOP fires END; after STOP
 * buffers can still be read. close at any point, or the end of the process, removes all that the
 * session enabled before it returns. poll reports POLLIN when a program has called exit() or when
 * a buffer is more than half full. All structures have the
 * same layout for 32- and 64-bit callers. Unless said otherwise errors are EFAULT (bad address),
 * EINVAL (field out of range), ENOMEM, EBUSY (wrong state, for example ENABLE while active),
 * EINTR (the caller is being killed).
 */
#ifndef DTRACE_IOCTL_H
#define DTRACE_IOCTL_H

#ifdef __KERNEL__
#include <linux/ioctl.h>
#else
#include <sys/ioctl.h>
#endif
#include <dtrace/types.h>
#include <dtrace/limits.h>
#include <dtrace/record.h>
#include <dtrace/dof.h>

#define DTRACE_DEVICE	       "/dev/dtrace/dtrace"
#define DTRACE_FASTTRAP_DEVICE "/dev/dtrace/fasttrap"

/* Stability: of a name, of its data, and the class of things it depends on. */
typedef struct dtrace_attribute {
	uint8_t dtat_name;  /* DTRACE_STABILITY_* */
	uint8_t dtat_data;  /* DTRACE_STABILITY_* */
	uint8_t dtat_class; /* DTRACE_CLASS_* */
} dtrace_attribute_t;

enum {
	DTRACE_STABILITY_INTERNAL,
	DTRACE_STABILITY_PRIVATE,
	DTRACE_STABILITY_OBSOLETE,
	DTRACE_STABILITY_EXTERNAL,
	DTRACE_STABILITY_UNSTABLE,
	DTRACE_STABILITY_EVOLVING,
	DTRACE_STABILITY_STABLE,
	DTRACE_STABILITY_STANDARD,
	DTRACE_STABILITY_MAX = DTRACE_STABILITY_STANDARD
};
enum {
	DTRACE_CLASS_UNKNOWN,
	DTRACE_CLASS_CPU,
	DTRACE_CLASS_PLATFORM,
	DTRACE_CLASS_GROUP,
	DTRACE_CLASS_ISA,
	DTRACE_CLASS_COMMON,
	DTRACE_CLASS_MAX = DTRACE_CLASS_COMMON
};
/*
 * Initialise a dtrace_attribute_t by the last words of its constants: DTRACE_ATTR(STABLE, PRIVATE,
 * ISA).
 */
#define DTRACE_ATTR(name, data, class)                                                 \
	{                                                                              \
		DTRACE_STABILITY_##name, DTRACE_STABILITY_##data, DTRACE_CLASS_##class \
	}

typedef struct dtrace_ppriv {
	uint32_t dtpp_flags; /* DTRACE_PRIV_*; 0: any user who may open the device */
	uint32_t dtpp_uid;
} dtrace_ppriv_t;

/*
 * Rights of a session, and what a provider asks for. A session that may see the kernel may do what
 * USER and PROC allow as well.
 */
#define DTRACE_PRIV_NONE   0
#define DTRACE_PRIV_KERNEL 0x1 /* dtrace_kernel: the kernel's probes and memory */
#define DTRACE_PRIV_USER   0x2 /* dtrace_user: profile and the like, in own processes */
#define DTRACE_PRIV_PROC   0x4 /* dtrace_proc: probes of own processes */
/* proc_owner: other users' processes are as own ones; of a provider: its probes are its owner's */
#define DTRACE_PRIV_OWNER 0x8
#define DTRACE_PRIV_ALL	  0xf
/*
 * Of a session: it would have DTRACE_PRIV_KERNEL, were the kernel not locked down
 * (confidentiality).
 */
#define DTRACE_PRIV_LOCKED 0x10

typedef struct dtrace_pattr {
	dtrace_attribute_t dtpa_provider;
	dtrace_attribute_t dtpa_mod;
	dtrace_attribute_t dtpa_func;
	dtrace_attribute_t dtpa_name;
	dtrace_attribute_t dtpa_args;
} dtrace_pattr_t;

typedef struct dtrace_probedesc {
	dtrace_id_t dtpd_id;
	char dtpd_provider[DTRACE_PROVNAMELEN];
	char dtpd_mod[DTRACE_MODNAMELEN];
	char dtpd_func[DTRACE_FUNCNAMELEN];
	char dtpd_name[DTRACE_NAMELEN];
} dtrace_probedesc_t;

/*
 * DTRACEIOC_PROBES. in: all but n. out: n, and as many descriptions at descs: of the next probes
 * from the number pattern.dtpd_id on; if match, of those that the patterns match. A pattern.dtpd_id
 * below 2 begins a list: providers make their probes.
 */
typedef struct dtrace_probes_io {
	dtrace_probedesc_t pattern;
	uint32_t match;	   /* 0 or 1 */
	uint32_t capacity; /* of descs; 1 to DTRACE_PROBES_MAX */
	uint32_t n;
	uint64_t descs; /* user address of dtrace_probedesc_t [capacity] */
} dtrace_probes_io_t;
#define DTRACE_PROBES_MAX 256

typedef struct dtrace_providerdesc {
	char dtvd_name[DTRACE_PROVNAMELEN]; /* in */
	dtrace_pattr_t dtvd_attr;	    /* out */
	uint8_t dtvd_pad;
	dtrace_ppriv_t dtvd_priv;
} dtrace_providerdesc_t;

/* An argument of a probe. in: id, ndx. out: the rest; ndx is DTRACE_ARGNONE past the last. */
typedef struct dtrace_argdesc {
	dtrace_id_t dtargd_id;
	int32_t dtargd_ndx;
	int32_t dtargd_mapping;		       /* native argument that it is made of */
	char dtargd_native[DTRACE_ARGTYPELEN]; /* C type, empty if it is not known */
	char dtargd_xlate[DTRACE_ARGTYPELEN];  /* D type it is translated to, or empty */
} dtrace_argdesc_t;
#define DTRACE_ARGNONE (-1)

/* The description of one action's data in a record. */
typedef struct dtrace_recdesc {
	dtrace_actkind_t dtrd_action;
	uint16_t dtrd_alignment;
	uint32_t dtrd_size;
	uint32_t dtrd_offset;
	uint32_t dtrd_flags; /* DTRACE_REC_* */
	uint64_t dtrd_arg;
	uint64_t dtrd_uarg;
} dtrace_recdesc_t;
#define DTRACE_REC_STRING 1 /* a string key of an aggregation: record.h */

/*
 * DTRACEIOC_EPROBE. in: epid, nrecs = capacity of recs. out: the rest; nrecs is the true number
 * (call again if larger). ESRCH: no such epid.
 */
typedef struct dtrace_eprobedesc {
	dtrace_epid_t dtepd_epid;
	dtrace_id_t dtepd_probeid;
	uint64_t dtepd_uarg;
	uint32_t dtepd_size; /* of a record, header included */
	uint32_t dtepd_nrecs;
	uint64_t dtepd_recs; /* user address of dtrace_recdesc_t[] */
	/* names of the probe, valid even when it is gone by now */
	dtrace_probedesc_t dtepd_desc;
	uint32_t dtepd_pad; /* so that the size is that of 64-bit callers everywhere */
} dtrace_eprobedesc_t;

/*
 * DTRACEIOC_AGGDESC. in: id, nrecs. out: the rest. The records are the keys, then the value.
 * ESRCH: no such id.
 */
typedef struct dtrace_aggdesc {
	dtrace_aggid_t dtagd_id;
	dtrace_epid_t dtagd_epid;
	dtrace_aggvarid_t dtagd_varid; /* dofa_uarg of the aggregation's first action */
	uint32_t dtagd_size;	       /* of an entry with dtrace_aggrec_t */
	uint32_t dtagd_nrecs;
	/* user address of dtrace_recdesc_t[]; offsets from the start of the entry */
	uint64_t dtagd_recs;
} dtrace_aggdesc_t;

/*
 * DTRACEIOC_BUFSNAP, DTRACEIOC_AGGSNAP: swap the CPU's buffer for its twin and copy what it
 * holds. ENOENT: no such CPU. ENOBUFS: size too small. A ring or fill buffer is only read after
 * STOP, once.
 */
typedef struct dtrace_bufdesc {
	uint64_t dtbd_data;   /* in: user address of dtbd_size bytes */
	uint64_t dtbd_size;   /* in: capacity; out: bytes copied */
	uint32_t dtbd_cpu;    /* in */
	uint32_t dtbd_errors; /* out: faults since the last snapshot */
	uint64_t dtbd_drops;  /* out: records lost since the last snapshot */
	uint64_t dtbd_oldest; /* out: offset of the oldest record */
	/* out: all records that come later are not older than this */
	uint64_t dtbd_timestamp;
} dtrace_bufdesc_t;

/*
 * DTRACEIOC_STATUS: counts since the session began. A consumer that does not ask for them for
 * DTRACE_DEADMAN_USER ns loses its session soon after: it becomes KILLED, in which no probe fires
 * for it. Sessions with destructive actions are left alone.
 */
typedef struct dtrace_status {
	uint64_t dtst_dyndrops;		 /* no memory for a dynamic variable */
	uint64_t dtst_dyndrops_rinsing;	 /* no memory, but some is being rinsed */
	uint64_t dtst_dyndrops_dirty;	 /* no memory, but some is dirty */
	uint64_t dtst_specdrops;	 /* speculative buffer full */
	uint64_t dtst_specdrops_busy;	 /* speculation() when all are being committed */
	uint64_t dtst_specdrops_unavail; /* speculation() when all are in use */
	uint64_t dtst_errors;		 /* faults */
	uint64_t dtst_filled;		 /* CPUs whose fill buffer is full */
	uint64_t dtst_stkstroverflows;	 /* string space of jstack too small */
	uint64_t dtst_dblerrors;	 /* faults within ERROR clauses */
	/* probes that fired while a probe was being handled on the CPU */
	uint64_t dtst_reentries;
	/* events of enabled probes that could not fire: see dtrace_fire_missed */
	uint64_t dtst_missed;
	/* firings of timers that were left out: the user's share of a CPU's time was used up */
	uint64_t dtst_pauses;
	uint64_t dtst_aggdrops;
	uint64_t dtst_principaldrops;
	/* 1: the module ended tracing, since no STATUS came or the machine did nothing else */
	uint32_t dtst_killed;
	uint32_t dtst_exiting; /* 1: exit() was called */
	uint32_t dtst_active;  /* DTRACE_ACTIVITY_* */
	/*
	 * probes that match a clause and could not be enabled for it: no memory, a limit, or the
	 * provider
	 */
	uint32_t dtst_unattached;
} dtrace_status_t;

enum {
	DTRACE_ACTIVITY_INACTIVE,
	DTRACE_ACTIVITY_WARMUP,
	DTRACE_ACTIVITY_ACTIVE,
	DTRACE_ACTIVITY_DRAINING,
	DTRACE_ACTIVITY_COOLDOWN,
	DTRACE_ACTIVITY_STOPPED,
	DTRACE_ACTIVITY_KILLED
};

typedef struct dtrace_conf {
	uint32_t dtc_difversion;
	uint32_t dtc_difintregs;
	uint32_t dtc_diftupregs;
	uint32_t dtc_ncpus;   /* possible CPUs: snapshots take 0 .. ncpus - 1 */
	uint32_t dtc_version; /* DTRACE_IOCTL_VERSION of the module */
	uint32_t dtc_privs;   /* DTRACE_PRIV_* of this session */
	char dtc_release[64]; /* of the module */
} dtrace_conf_t;

/*
 * The version of this interface, records (record.h) included. It rises with each change that a
 * library or a module of the version before would misread.
 */
#define DTRACE_IOCTL_VERSION 2

/* DTRACEIOC_ENABLE. */
typedef struct dtrace_enable_io {
	uint64_t dofp; /* in: user address of DOF */
	/* out: probes matched by the clauses of this DOF now */
	uint32_t n_matched;
	uint32_t n_desc; /* out: probe descriptions in it */
	/* out, on EINVAL: index of the description that failed, or -1 */
	int32_t error_desc;
	uint32_t pad;
	/*
	 * in: user address of errmsg_len bytes for a text that says what is wrong with the DOF,
	 * or 0
	 */
	uint64_t errmsg;
	uint32_t errmsg_len;
	uint32_t pad2;
} dtrace_enable_io_t;

/* DTRACEIOC_GO and DTRACEIOC_STOP; out: CPU on which BEGIN or END fired. */
typedef struct dtrace_go {
	uint32_t dtgo_cpu;
	uint32_t dtgo_pad;
} dtrace_go_t;

/*
 * DTRACEIOC_OPTGET: value that the engine uses for DTRACEOPT_* (sizes may have been reduced by
 * bufresize=auto).
 */
typedef struct dtrace_optget {
	uint32_t dtog_option;
	uint32_t dtog_pad;
	uint64_t dtog_value;
} dtrace_optget_t;

/*
 * DTRACEIOC_POLICY: who besides root may trace, and what: the whole policy, in place of the one
 * before. It holds for devices that are opened from now on, and is shown in /proc/dtrace/security.
 * A user has the rights of all entries that name them or a group of theirs. EPERM: the caller has
 * no CAP_SYS_ADMIN. EINVAL: an entry that is not valid, E2BIG: more than DTRACE_POLICY_MAX; nothing
 * has changed then.
 */
enum { DTRACE_POLICY_ALL, DTRACE_POLICY_UID, DTRACE_POLICY_GID };
typedef struct dtrace_policy_entry {
	uint32_t dtpe_who; /* DTRACE_POLICY_* */
	/* of the user or group, in the first user namespace; 0 for all */
	uint32_t dtpe_id;
	uint32_t dtpe_rights; /* DTRACE_PRIV_* */
	uint32_t dtpe_pad;    /* 0 */
} dtrace_policy_entry_t;
typedef struct dtrace_policy {
	uint64_t dtpo_entries; /* user address of them */
	uint32_t dtpo_n;
	uint32_t dtpo_pad; /* 0 */
} dtrace_policy_t;
#define DTRACE_POLICY_MAX 1024

/*
 * Why a description has no probe, most of them at an instruction of a function: errors of
 * DTRACEIOC_PROBES.
 */
#define DTRACE_REFUSED_BOUNDARY EILSEQ	   /* no instruction begins there */
#define DTRACE_REFUSED_END	ERANGE	   /* the function ends before */
#define DTRACE_REFUSED_KIND	EOPNOTSUPP /* the kernel has no kprobes at such an instruction */
#define DTRACE_REFUSED_FUNCTION EACCES	   /* the kernel forbids kprobes in all of the function */
#define DTRACE_REFUSED_PATCHED	ETXTBSY	   /* the kernel patches the instruction itself */
#define DTRACE_REFUSED_BUG	ENOTRECOVERABLE /* it is the instruction of BUG() or WARN() */
#define DTRACE_REFUSED_LAST	EOVERFLOW    /* the kernel does not know where the function ends */
#define DTRACE_REFUSED_MANY	E2BIG	     /* a pattern means too many instructions */
#define DTRACE_REFUSED_TRIGGER	ENODATA	     /* the kernel has nothing at which the probe fires */
#define DTRACE_REFUSED_EVENT	ENXIO	     /* the processor has no counter for the event */
#define DTRACE_REFUSED_COUNTER	EKEYREJECTED /* perf lets the user count nothing on processors */
#define DTRACE_REFUSED_MODULE	ENOPKG	     /* such probes are those of the kernel module */
#define DTRACE_REFUSED_SAMPLES	EUNATCH	     /* the kernel refuses perf events */
#define DTRACE_REFUSED_COUNT	EDOM	     /* the probe would fire after too few events */
#define DTRACE_REFUSED_RETURN	ENOTUNIQ     /* the function may be a part of another one */

/* ESRCH: none of that name */
#define DTRACEIOC_PROVIDER _IOWR('D', 1, dtrace_providerdesc_t)
/*
 * ESRCH: none; ENOSPC: none, since the provider can make no more; DTRACE_REFUSED_*: none, for that
 * reason; EINVAL: capacity
 */
#define DTRACEIOC_PROBES   _IOWR('D', 2, dtrace_probes_io_t)
#define DTRACEIOC_PROBEARG _IOWR('D', 3, dtrace_argdesc_t)
#define DTRACEIOC_ENABLE   _IOWR('D', 4, dtrace_enable_io_t)
#define DTRACEIOC_EPROBE   _IOWR('D', 5, dtrace_eprobedesc_t)
#define DTRACEIOC_AGGDESC  _IOWR('D', 6, dtrace_aggdesc_t)
#define DTRACEIOC_BUFSNAP  _IOWR('D', 7, dtrace_bufdesc_t)
#define DTRACEIOC_AGGSNAP  _IOWR('D', 8, dtrace_bufdesc_t)
#define DTRACEIOC_STATUS   _IOR('D', 9, dtrace_status_t)
#define DTRACEIOC_CONF	   _IOR('D', 10, dtrace_conf_t)
#define DTRACEIOC_GO	   _IOR('D', 11, dtrace_go_t)
#define DTRACEIOC_STOP	   _IOR('D', 12, dtrace_go_t)
#define DTRACEIOC_OPTGET   _IOWR('D', 13, dtrace_optget_t)
#define DTRACEIOC_POLICY   _IOW('D', 14, dtrace_policy_t)

/* Options of a session, in DOF_SECT_OPTDESC. The numbers are the published ones. */
enum {
	DTRACEOPT_BUFSIZE,
	DTRACEOPT_BUFPOLICY,
	DTRACEOPT_DYNVARSIZE,
	DTRACEOPT_AGGSIZE,
	DTRACEOPT_SPECSIZE,
	DTRACEOPT_NSPEC,
	DTRACEOPT_STRSIZE,
	DTRACEOPT_CLEANRATE,
	DTRACEOPT_CPU,
	DTRACEOPT_BUFRESIZE,
	DTRACEOPT_GRABANON,
	DTRACEOPT_FLOWINDENT,
	DTRACEOPT_QUIET,
	DTRACEOPT_STACKFRAMES,
	DTRACEOPT_USTACKFRAMES,
	DTRACEOPT_AGGRATE,
	DTRACEOPT_SWITCHRATE,
	DTRACEOPT_STATUSRATE,
	DTRACEOPT_DESTRUCTIVE,
	DTRACEOPT_STACKINDENT,
	DTRACEOPT_RAWBYTES,
	DTRACEOPT_JSTACKFRAMES,
	DTRACEOPT_JSTACKSTRSIZE,
	DTRACEOPT_AGGSORTKEY,
	DTRACEOPT_AGGSORTREV,
	DTRACEOPT_AGGSORTPOS,
	DTRACEOPT_AGGSORTKEYPOS,
	DTRACEOPT_TEMPORAL,
	DTRACEOPT_AGGHIST,
	DTRACEOPT_AGGPACK,
	DTRACEOPT_AGGZOOM,
	DTRACEOPT_ZONE,
	/* below: not of the published numbers */
	DTRACEOPT_BUFLIMIT,
	DTRACEOPT_MAXFRAMES,
	DTRACEOPT_QUIETRESIZE,
	DTRACEOPT_STACKSYMBOLS,
	DTRACEOPT_UNWIND,
	DTRACEOPT_STACKLINES,
	DTRACEOPT_FOLLOWFORK,
	DTRACEOPT_MAX
};
#define DTRACEOPT_UNSET		   ((dtrace_optval_t)-2)
#define DTRACEOPT_BUFPOLICY_RING   0
#define DTRACEOPT_BUFPOLICY_FILL   1
#define DTRACEOPT_BUFPOLICY_SWITCH 2
#define DTRACEOPT_BUFRESIZE_AUTO   0
#define DTRACEOPT_BUFRESIZE_MANUAL 1
#define DTRACEOPT_UNWIND_TABLES	   0 /* where there are any, else frame pointers */
#define DTRACEOPT_UNWIND_FP	   1

#endif
