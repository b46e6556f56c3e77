/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* limits.h - sizes that both sides must agree on, and bounds that the module enforces. */
#ifndef DTRACE_LIMITS_H
#define DTRACE_LIMITS_H

/* Lengths of names, the terminating NUL included. */
#define DTRACE_PROVNAMELEN 64
#define DTRACE_MODNAMELEN  64
#define DTRACE_FUNCNAMELEN 256 /* mangled C++ names are long */
#define DTRACE_NAMELEN	   64
#define DTRACE_FULLNAMELEN \
	(DTRACE_PROVNAMELEN + DTRACE_MODNAMELEN + DTRACE_FUNCNAMELEN + DTRACE_NAMELEN + 4)
#define DTRACE_ARGTYPELEN 128

/* Programs. */
/* instructions of one DIFO; forward branches bound its run time */
#define DTRACE_DIFO_MAXINSTRS (128 * 1024)
#define DTRACE_DIFO_MAXSTRTAB (256 * 1024)
#define DTRACE_ENABLINGS_MAX  4096 /* DOFs of a session: some work goes through all */
#define DTRACE_MAXARGS	      10   /* arg0 to arg9 */
#define DTRACE_USDT_MAXARGS   32   /* args[] of a USDT probe */

/* DOF taken from root for an enabling, and from anybody for a helper. */
#define DTRACE_DOF_MAXSIZE     (64 * 1024 * 1024)
#define DTRACE_DOF_MAXSECS     (256 * 1024)
#define DTRACE_HELPER_MAXSIZE  (16 * 1024 * 1024)  /* one registration */
#define DTRACE_HELPER_MAXREGS  1024		   /* registrations of a process */
#define DTRACE_HELPER_MAXSITES 262144		   /* sites of a process, all registrations */
#define DTRACE_HELPER_MAXBYTES (256 * 1024 * 1024) /* memory for a process's DOF */
#define DTRACE_HELPER_MAXPROVS 1024		   /* providers of one registration */

/* Pid probes: all registrations of one open file of /dev/dtrace/fasttrap. */
#define DTRACE_FT_MAXREGS  65536
#define DTRACE_FT_MAXSITES (1024 * 1024)
#define DTRACE_FT_MAXBYTES (512 * 1024 * 1024) /* memory for their DOF */

/* Ustack helpers: clauses of dtrace:helper:ustack: in the DOF of a process. */
#define DTRACE_UHELP_MAXHELPERS 16 /* registrations of a process that have one */
/* of one registration: */
#define DTRACE_UHELP_MAXCLAUSES 1024
#define DTRACE_UHELP_MAXSTMTS	8192
#define DTRACE_UHELP_MAXINSTRS	(64 * 1024)
#define DTRACE_UHELP_MAXBYTES	(1024 * 1024) /* instructions, strings and tables */
#define DTRACE_UHELP_MAXLOCALS	(64 * 1024)   /* bytes of this-> variables */
#define DTRACE_UHELP_MAXVARS	1024	      /* variables that one expression names */
#define DTRACE_UHELP_MAXTEXTS	4	      /* executable mappings of its object */
#define DTRACE_UHELP_STRSIZE	4096	      /* strsize of helpers */
#define DTRACE_UHELP_MAXRUNS	1024	      /* runs of helpers for one stack */
#define DTRACE_UHELP_MAXSTEPS	500000	      /* work of theirs for one stack */
#define DTRACE_UHELP_SEARCH	(64 * 1024)   /* bytes of the stack that are searched */

/* The default values of run-time options. */
#define DTRACE_BUFSIZE_DEFAULT	     (4ULL << 20) /* per CPU; principal buffer */
#define DTRACE_AGGSIZE_DEFAULT	     (4ULL << 20) /* per CPU */
#define DTRACE_DYNVARSIZE_DEFAULT    (4ULL << 20) /* per session */
#define DTRACE_SPECSIZE_DEFAULT	     (32ULL << 10)
#define DTRACE_NSPEC_DEFAULT	     1
#define DTRACE_STRSIZE_DEFAULT	     256
#define DTRACE_STACKFRAMES_DEFAULT   20
#define DTRACE_USTACKFRAMES_DEFAULT  20
#define DTRACE_JSTACKFRAMES_DEFAULT  50
#define DTRACE_JSTACKSTRSIZE_DEFAULT 512
#define DTRACE_STACKFRAMES_MAX	     1024
#define DTRACE_STRSIZE_MAX	     (64 * 1024)
#define DTRACE_BUFSIZE_MIN	     256
#define DTRACE_BUFTOTAL_MAX	     (4ULL << 30) /* all buffers of a session */
#define DTRACE_SCRATCHSIZE	     (256 * 1024) /* scratch memory of a clause */
#define DTRACE_SCRATCHKEEP	     (64 * 1024)  /* of earlier clauses of the firing, at most */
#define DTRACE_SCRATCHCPU	     (DTRACE_SCRATCHSIZE + DTRACE_SCRATCHKEEP)
/*
 * Work of a firing: what all clauses of one session may do when a probe fires once, with interrupts
 * off. A unit is an instruction of DIF, 4 bytes that are looked at one by one, or 32 that are
 * copied: 1 to 6 ns.
 */
#define DTRACE_WORK_USER  (512 * 1024) /* of a session without all rights */
#define DTRACE_WORK_ROOT  (8 * 1024 * 1024)
#define DTRACE_WORK_SLICE (64 * 1024) /* after which the time is looked at */
/*
 * The same of sessions whose user has limits. All of them together may do what one of them may,
 * besides this that each one begins with.
 */
#define DTRACE_WORK_SLICE_USER (8 * 1024)
/* of a session on one probe, and of all of a user with limits */
#define DTRACE_CLAUSES_MAX	 4096
#define DTRACE_ROWS_MAX		 256	     /* of clauses there of a user's sessions, by turns */
#define DTRACE_INSTRUCTIONS_USER 4096	     /* probes at them, of 16,384, that a user may enable */
#define DTRACE_WORK_ERROR	 (16 * 1024) /* for ERROR, when the rest has been used up */
#define DTRACE_WORK_TIME	 1000000000ULL /* ns that a firing may take, whatever it does */
/* ns without STATUS after which a session's consumer is thought to be dead, or the machine busy */
#define DTRACE_DEADMAN_USER    30000000000ULL
#define DTRACE_DEADMAN_TIMEOUT 10000000000ULL /* then, or when nothing else runs either */
/* ns between firings of a probe that fires by time */
#define DTRACE_INTERVAL_MIN	 200000ULL
#define DTRACE_INTERVAL_MAX	 (100ULL * 86400 * 1000000000)
#define DTRACE_CLEANRATE_DEFAULT 9900990ULL /* ns: 101 Hz */
#define DTRACE_CLEANRATE_MIN	 200000ULL
#define DTRACE_CLEANRATE_MAX	 60000000000ULL

#endif
