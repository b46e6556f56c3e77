/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * unwind.h - unwind tables: how ustack() finds the callers of functions that keep no frame pointer.
 *
 * Files have this in .eh_frame, in a form that takes a program to run. The consumer makes a table
 * of it for each file, passes it to the module once, and says which processes have it mapped where:
 *
 *	fd = open("/dev/dtrace/fasttrap", O_RDWR | O_CLOEXEC)
 *	id = ioctl(fd, DTRACEFTIOC_UNWIND_TABLE, &table) >= 0: number of the table
 *	ioctl(fd, DTRACEFTIOC_UNWIND_MAPS, &maps)	0: the process has these now, and no others
 *	ioctl(fd, DTRACEFTIOC_UNWIND_MISSING, &missing)	0: processes that have files without
 *							tables that stacks needed since this was
 *							last asked
 *
 * Tables and what processes have of them belong to the open file and go with it. A process that has
 * none uses those of the process that it was forked from, until it calls exec. An error in a table
 * makes stacks wrong, and nothing else: to unwind, only memory of the process is read. A frame
 * without a rule is left by its frame pointer.
 *
 * Limits: DTRACE_UNWIND_MAXBYTES of tables in an open file (ENOSPC, when those that no process has
 * any more are dropped and that is not enough) and DTRACE_UNWIND_MAXPROCS processes (the first one
 * is then forgotten). All open files of a user together may tell of user_unwound processes (ENOSPC,
 * when an open file that has none cannot forget one). The caller needs the rights of
 * DTRACEFTIOC_REGISTER.
 *
 * Errors: EINVAL (numbers out of range, rows or mappings not in order, a field that must be 0),
 * E2BIG, EFAULT, ENOMEM, ENOENT (no table has that number: it was dropped; hand it over again),
 * ESRCH, EPERM.
 */
#ifndef DTRACE_UNWIND_H
#define DTRACE_UNWIND_H

#ifdef __KERNEL__
#include <linux/ioctl.h>
#else
#include <sys/ioctl.h>
#endif
#include <dtrace/types.h>

#define DTRACE_UNWIND_MAXROWS	 (1u << 23)
#define DTRACE_UNWIND_MAXRULES	 (1u << 16)
#define DTRACE_UNWIND_MAXMAPS	 4096u	      /* of a process */
#define DTRACE_UNWIND_MAXBYTES	 (256u << 20) /* of an open file */
#define DTRACE_UNWIND_MAXPROCS	 4096u	      /* of an open file */
#define DTRACE_UNWIND_MAXMISSING 256u

/*
 * Registers have DWARF's numbers on x86-64: 0 rax, 1 rdx, 2 rcx, 3 rbx, 4 rsi, 5 rdi, 6 rbp, 7 rsp.
 * Registers of 32 bits have the same numbers, which are not DWARF's for i386, up to 7.
 */
#define DTRACE_UNWIND_NREGS 16u
/*
 * The registers that functions keep, and rules describe: 3 6 12 13 14 15; of 32 bits 3 6 4 5 1 2.
 */
#define DTRACE_UNWIND_NSAVED 6u

/* The kinds of rules. The canonical frame address (CFA) is the stack pointer after the return. */
enum {
	DTRACE_UNWIND_NONE,  /* nothing is known here */
	DTRACE_UNWIND_END,   /* the outermost frame */
	DTRACE_UNWIND_CFA,   /* CFA = base + cfa */
	DTRACE_UNWIND_DEREF, /* CFA = the word at base + cfa */
	/* CFA = base + cfa, and a word more from the arg-th byte of each 16 on: stubs of a PLT */
	DTRACE_UNWIND_PLT,
	DTRACE_UNWIND_SIGNAL, /* the signal trampoline: a struct sigcontext is at base + cfa */
	DTRACE_UNWIND_NKINDS
};

typedef struct dtrace_unwind_rule {
	uint8_t dtur_kind;
	uint8_t dtur_base; /* a register */
	uint8_t dtur_ra;   /* the address of return: 0 in the word below the CFA, else */
			   /* 1 + the register that it is in */
	uint8_t dtur_arg;
	int32_t dtur_cfa;
	/* where the caller's registers are, in words from the CFA */
	int16_t dtur_saved[DTRACE_UNWIND_NSAVED];
	uint8_t dtur_fromfp; /* bit i: dtur_saved[i] is from what rbp has here */
	uint8_t dtur_pad[3]; /* 0 */
} dtrace_unwind_rule_t;

#define DTRACE_UNWIND_SAME (-32768) /* dtur_saved: the register has not been changed */
#define DTRACE_UNWIND_LOST 32767    /* it is nowhere to be found */

/*
 * DTRACEFTIOC_UNWIND_TABLE. A row holds from its address up to the next one's, the last to the end.
 */
typedef struct dtrace_unwind_load {
	uint64_t dtul_addrs; /* address of uint32_t[nrows], ascending, each once */
	uint64_t dtul_index; /* address of uint16_t[nrows]: each row's rule */
	uint64_t dtul_rules; /* address of dtrace_unwind_rule_t[nrules] */
	uint32_t dtul_nrows;
	uint32_t dtul_nrules;
	uint32_t dtul_word; /* bytes of an address: 8, or 4 of code of 32 bits */
	uint32_t dtul_pad;  /* 0 */
} dtrace_unwind_load_t;

typedef struct dtrace_unwind_mapping {
	uint64_t dtum_start, dtum_end; /* in the process, ascending */
	uint64_t dtum_bias;	       /* what is taken from a program counter to look it up */
	int32_t dtum_table;	       /* -1: there is none for it */
	uint32_t dtum_pad;	       /* 0 */
} dtrace_unwind_mapping_t;

/* DTRACEFTIOC_UNWIND_MAPS. */
typedef struct dtrace_unwind_process {
	int32_t dtup_pid;    /* in the pid namespace of the caller */
	uint32_t dtup_nmaps; /* 0: forget the process */
	uint64_t dtup_maps;  /* address of dtrace_unwind_mapping_t[nmaps] */
} dtrace_unwind_process_t;

/*
 * DTRACEFTIOC_UNWIND_MISSING. out: all. The processes that have files without tables that stacks
 * needed. A process may be left out until it is seen again.
 */
typedef struct dtrace_unwind_missing {
	uint32_t dtmi_n;
	int32_t dtmi_pids[DTRACE_UNWIND_MAXMISSING]; /* in the pid namespace of the caller */
} dtrace_unwind_missing_t;

#define DTRACEFTIOC_UNWIND_TABLE   _IOW('F', 16, dtrace_unwind_load_t)
#define DTRACEFTIOC_UNWIND_MAPS	   _IOW('F', 17, dtrace_unwind_process_t)
#define DTRACEFTIOC_UNWIND_MISSING _IOR('F', 18, dtrace_unwind_missing_t)

#endif
