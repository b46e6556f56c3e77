/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dif.h - the instruction set of D programs (DIF) and the object that carries one (DIFO).
 *
 * Source of the format: the published DTrace DIF, version 2. The engine verifies
 * (engine/dif_verify.c) and runs (engine/dif_run.c) it; the compiler writes it
 * (libdtrace/compile/codegen.c).
 *
 * The machine: 32-bit instructions, eight 64-bit registers (%r0 always reads 0), condition codes
 * n z v c set by CMP, SCMP and TST, a stack of tuple entries for array keys, and scratch memory
 * that lives until the clause ends. Branches go forward only, so every program ends.
 *
 * Layout of an instruction, most significant byte first:
 *
 *	31      24 23      16 15       8 7        0
 *	+---------+----------+----------+---------+
 *	|   op    |    r1    |    r2    |   rd    |  arithmetic, load, store, compare, push
 *	+---------+----------+----------+---------+
 *	|   op    |             label             |  branch: index of the instruction it leads to
 *	+---------+---------------------+---------+
 *	|   op    |    index            |   rd    |  SETX SETS (table), LDxS STxS (variable), CALL
 *	+---------+---------------------+---------+
 */
#ifndef DTRACE_DIF_H
#define DTRACE_DIF_H

#include <dtrace/types.h>

#define DIF_VERSION   2 /* version of this instruction set */
#define DIF_DIR_NREGS 8 /* registers for integers */
#define DIF_DTR_NREGS 8 /* entries of the tuple stack */

typedef uint32_t dif_instr_t;

#define DIF_INSTR_OP(i)	     (((i) >> 24) & 0xff)
#define DIF_INSTR_R1(i)	     (((i) >> 16) & 0xff)
#define DIF_INSTR_R2(i)	     (((i) >> 8) & 0xff)
#define DIF_INSTR_RD(i)	     (0xff & (i))
#define DIF_INSTR_RS(i)	     (0xff & (i))
#define DIF_INSTR_LABEL(i)   (0xffffff & (i))
#define DIF_INSTR_VAR(i)     (((i) >> 8) & 0xffff)
#define DIF_INSTR_INTEGER(i) (((i) >> 8) & 0xffff)
#define DIF_INSTR_STRING(i)  (((i) >> 8) & 0xffff)
#define DIF_INSTR_SUBR(i)    (((i) >> 8) & 0xffff)
#define DIF_INSTR_TYPE(i)    (((i) >> 16) & 0xff)
#define DIF_INSTR_XLREF(i)   (((i) >> 8) & 0xffff)

#define DIF_INSTR_FMT(op, r1, r2, rd) \
	(((uint32_t)(op) << 24) | ((uint32_t)(r1) << 16) | ((uint32_t)(r2) << 8) | (uint32_t)(rd))
#define DIF_INSTR_BRANCH(op, label) (((uint32_t)(op) << 24) | (uint32_t)(label))
#define DIF_INSTR_WIDE(op, index, rd) \
	(((uint32_t)(op) << 24) | ((uint32_t)(index) << 8) | (uint32_t)(rd))

#define DIF_VAL_REG_R0 0 /* the register that is always zero */

/* Opcodes. [x] is memory at address x; sizes b h w x are 1, 2, 4, 8 bytes. */
enum dif_op {
	DIF_OP_OR = 1,	  /* rd = r1 | r2 */
	DIF_OP_XOR = 2,	  /* rd = r1 ^ r2 */
	DIF_OP_AND = 3,	  /* rd = r1 & r2 */
	DIF_OP_SLL = 4,	  /* rd = r1 << r2 */
	DIF_OP_SRL = 5,	  /* rd = r1 >> r2, logical */
	DIF_OP_SUB = 6,	  /* rd = r1 - r2 */
	DIF_OP_ADD = 7,	  /* rd = r1 + r2 */
	DIF_OP_MUL = 8,	  /* rd = r1 * r2 */
	DIF_OP_SDIV = 9,  /* rd = r1 / r2, signed; zero faults */
	DIF_OP_UDIV = 10, /* rd = r1 / r2, unsigned; zero faults */
	DIF_OP_SREM = 11, /* rd = r1 % r2, signed; zero faults */
	DIF_OP_UREM = 12, /* rd = r1 % r2, unsigned; zero faults */
	DIF_OP_NOT = 13,  /* rd = ~r1 */
	DIF_OP_MOV = 14,  /* rd = r1 */
	DIF_OP_CMP = 15,  /* cc = r1 - r2 */
	DIF_OP_TST = 16,  /* cc = r1 - 0 */
	DIF_OP_BA = 17,	  /* pc = label */
	DIF_OP_BE = 18,	  /* if z */
	DIF_OP_BNE = 19,  /* if !z */
	DIF_OP_BG = 20,	  /* if signed > */
	DIF_OP_BGU = 21,  /* if unsigned > */
	DIF_OP_BGE = 22,  /* if signed >= */
	DIF_OP_BGEU = 23, /* if unsigned >= */
	DIF_OP_BL = 24,	  /* if signed < */
	DIF_OP_BLU = 25,  /* if unsigned < */
	DIF_OP_BLE = 26,  /* if signed <= */
	DIF_OP_BLEU = 27, /* if unsigned <= */
	DIF_OP_LDSB = 28, /* rd = sign extended [r1], kernel or scratch address; 28 to 34 */
	DIF_OP_LDSH = 29,
	DIF_OP_LDSW = 30,
	DIF_OP_LDUB = 31,
	DIF_OP_LDUH = 32,
	DIF_OP_LDUW = 33,
	DIF_OP_LDX = 34,
	DIF_OP_RET = 35, /* return rd */
	DIF_OP_NOP = 36,
	DIF_OP_SETX = 37, /* rd = integer table[index] */
	DIF_OP_SETS = 38, /* rd = address of string table + index */
	DIF_OP_SCMP = 39, /* cc = strcmp(r1, r2), at most strsize bytes */
	DIF_OP_LDGA = 40, /* rd = built-in array var(r1)[r2] */
	DIF_OP_LDGS = 41, /* rd = global or built-in variable */
	DIF_OP_STGS = 42, /* global variable = rs */
	DIF_OP_LDTA = 43, /* reserved: refused by the verifier */
	DIF_OP_LDTS = 44, /* rd = thread-local variable */
	DIF_OP_STTS = 45, /* thread-local variable = rs */
	DIF_OP_SRA = 46,  /* rd = r1 >> r2, arithmetic */
	DIF_OP_CALL = 47, /* rd = subr(tuple stack) */
	/* push by reference: r1 = DIF_TYPE_*, r2 = size register, rs = address */
	DIF_OP_PUSHTR = 48,
	/* push by value: r1 = DIF_TYPE_*, r2 = size register or 0, rs = value */
	DIF_OP_PUSHTV = 49,
	DIF_OP_POPTS = 50,   /* drop the top of the tuple stack */
	DIF_OP_FLUSHTS = 51, /* empty the tuple stack */
	DIF_OP_LDGAA = 52,   /* rd = global associative array[tuple stack] */
	DIF_OP_LDTAA = 53,   /* rd = thread-local associative array[tuple stack] */
	DIF_OP_STGAA = 54,   /* global associative array[tuple stack] = rs */
	DIF_OP_STTAA = 55,   /* thread-local associative array[tuple stack] = rs */
	DIF_OP_LDLS = 56,    /* rd = clause-local variable */
	DIF_OP_STLS = 57,    /* clause-local variable = rs */
	DIF_OP_ALLOCS = 58,  /* rd = address of r1 fresh bytes of scratch */
	DIF_OP_COPYS = 59,   /* copy r2 bytes from [r1] to [rd], which must be scratch */
	DIF_OP_STB = 60,     /* [rd] = r1; scratch only; 60 to 63 */
	DIF_OP_STH = 61,
	DIF_OP_STW = 62,
	DIF_OP_STX = 63,
	DIF_OP_ULDSB = 64, /* rd = [r1], r1 an address of the current process; 64 to 70 */
	DIF_OP_ULDSH = 65,
	DIF_OP_ULDSW = 66,
	DIF_OP_ULDUB = 67,
	DIF_OP_ULDUH = 68,
	DIF_OP_ULDUW = 69,
	DIF_OP_ULDX = 70,
	/* as 28 to 34, but without kernel privilege only what the clause may see */
	DIF_OP_RLDSB = 71,
	DIF_OP_RLDSH = 72,
	DIF_OP_RLDSW = 73,
	DIF_OP_RLDUB = 74,
	DIF_OP_RLDUH = 75,
	DIF_OP_RLDUW = 76,
	DIF_OP_RLDX = 77,
	/* in compiler output before linking only: refused by the verifier */
	DIF_OP_XLATE = 78,
	DIF_OP_XLARG = 79, /* as DIF_OP_XLATE */
	DIF_OP_MAX = 79
};

/*
 * Built-in variables. Arrays are 0 to 0xff, scalars from 0x100; what a program defines begins at
 * DIF_VAR_OTHER_UBASE. Numbers up to 0x120 are the published ones, from 0x180 on our own.
 */
enum dif_var {
	DIF_VAR_ARRAY_MIN = 0x0000,
	DIF_VAR_ARGS = 0x0000,	/* args[]: arguments by number, as the provider maps them */
	DIF_VAR_REGS = 0x0001,	/* regs[] */
	DIF_VAR_UREGS = 0x0002, /* uregs[] */
	DIF_VAR_ARRAY_MAX = 0x00ff,
	DIF_VAR_OTHER_MIN = 0x0100,
	DIF_VAR_CURTHREAD = 0x0100, /* address of the current task_struct */
	/* ns since an arbitrary point, monotonic, constant within a firing */
	DIF_VAR_TIMESTAMP = 0x0101,
	DIF_VAR_VTIMESTAMP = 0x0102, /* ns of the thread on a CPU, less time in probes */
	DIF_VAR_IPL = 0x0103,	     /* 0 thread, 1 softirq, 2 hardirq, 3 NMI */
	DIF_VAR_EPID = 0x0104,
	DIF_VAR_ID = 0x0105,
	DIF_VAR_ARG0 = 0x0106, /* arg0 to arg9: raw arguments */
	DIF_VAR_ARG1,
	DIF_VAR_ARG2,
	DIF_VAR_ARG3,
	DIF_VAR_ARG4,
	DIF_VAR_ARG5,
	DIF_VAR_ARG6,
	DIF_VAR_ARG7,
	DIF_VAR_ARG8,
	DIF_VAR_ARG9,
	DIF_VAR_STACKDEPTH = 0x0110,
	DIF_VAR_CALLER = 0x0111,
	DIF_VAR_PROBEPROV = 0x0112,
	DIF_VAR_PROBEMOD = 0x0113,
	DIF_VAR_PROBEFUNC = 0x0114,
	DIF_VAR_PROBENAME = 0x0115,
	DIF_VAR_PID = 0x0116,
	DIF_VAR_TID = 0x0117,
	DIF_VAR_EXECNAME = 0x0118,
	/* "global" in the first pid namespace, else the host name of the process's container */
	DIF_VAR_ZONENAME = 0x0119,
	DIF_VAR_WALLTIMESTAMP = 0x011a, /* ns since the epoch */
	DIF_VAR_USTACKDEPTH = 0x011b,
	DIF_VAR_UCALLER = 0x011c,
	DIF_VAR_PPID = 0x011d,
	DIF_VAR_UID = 0x011e,
	DIF_VAR_GID = 0x011f,
	DIF_VAR_ERRNO = 0x0120,	   /* errno of the current system call, else 0 */
	DIF_VAR_CPU = 0x0180,	   /* number of the CPU */
	DIF_VAR_EXECARGS = 0x0181, /* the process's arguments, joined by spaces */
	DIF_VAR_JID = 0x0182,	   /* number of the pid namespace; 0: the first */
	DIF_VAR_JAILNAME = 0x0183, /* as zonename, but "0" for the first pid namespace */
	DIF_VAR_OTHER_UBASE = 0x0500,
	DIF_VAR_OTHER_MAX = 0xffff
};

/* Subroutines. The tuple stack holds the arguments. Up to 48 the published numbers, then
 * our own. */
enum dif_subr {
	DIF_SUBR_RAND = 0,
	DIF_SUBR_MUTEX_OWNED,
	DIF_SUBR_MUTEX_OWNER,
	DIF_SUBR_MUTEX_TYPE_ADAPTIVE,
	DIF_SUBR_MUTEX_TYPE_SPIN,
	DIF_SUBR_RW_READ_HELD,
	DIF_SUBR_RW_WRITE_HELD,
	DIF_SUBR_RW_ISWRITER,
	DIF_SUBR_COPYIN,
	DIF_SUBR_COPYINSTR,
	DIF_SUBR_SPECULATION,
	DIF_SUBR_PROGENYOF,
	DIF_SUBR_STRLEN,
	DIF_SUBR_COPYOUT,
	DIF_SUBR_COPYOUTSTR,
	DIF_SUBR_ALLOCA,
	DIF_SUBR_BCOPY,
	DIF_SUBR_COPYINTO,
	DIF_SUBR_MSGDSIZE,
	DIF_SUBR_MSGSIZE,
	DIF_SUBR_GETMAJOR,
	DIF_SUBR_GETMINOR,
	DIF_SUBR_DDI_PATHNAME,
	DIF_SUBR_STRJOIN,
	DIF_SUBR_LLTOSTR,
	DIF_SUBR_BASENAME,
	DIF_SUBR_DIRNAME,
	DIF_SUBR_CLEANPATH,
	DIF_SUBR_STRCHR,
	DIF_SUBR_STRRCHR,
	DIF_SUBR_STRSTR,
	DIF_SUBR_STRTOK,
	DIF_SUBR_SUBSTR,
	DIF_SUBR_INDEX,
	DIF_SUBR_RINDEX,
	DIF_SUBR_HTONS,
	DIF_SUBR_HTONL,
	DIF_SUBR_HTONLL,
	DIF_SUBR_NTOHS,
	DIF_SUBR_NTOHL,
	DIF_SUBR_NTOHLL,
	DIF_SUBR_INET_NTOP,
	DIF_SUBR_INET_NTOA,
	DIF_SUBR_INET_NTOA6,
	DIF_SUBR_TOUPPER,
	DIF_SUBR_TOLOWER,
	DIF_SUBR_GETF,
	DIF_SUBR_JSON,
	DIF_SUBR_STRTOLL,
	DIF_SUBR_D_PATH,
	DIF_SUBR_LINK_NTOP,
	DIF_SUBR_MEMREF,
	DIF_SUBR_MEMSTR,
	DIF_SUBR_MAX = DIF_SUBR_MEMSTR
};

/*
 * Second argument of mutex_*() and rw_*(), which may be left out: the lock sleeps (struct mutex,
 * struct rw_semaphore) or spins (spinlock_t, rwlock_t).
 */
#define DIF_LOCK_SLEEP 0
#define DIF_LOCK_SPIN  1

/* The type of a DIFO's result or of a variable. */
#define DIF_TYPE_CTF	0 /* integer, pointer, struct or union */
#define DIF_TYPE_STRING 1 /* D string, NUL-terminated, at most size bytes */

#define DIF_TF_BYREF  0x1 /* the value is an address of size bytes */
#define DIF_TF_BYUREF 0x2 /* the same, in the current process */

typedef struct dtrace_diftype {
	uint8_t dtdt_kind; /* DIF_TYPE_* */
	/* kind of C type, for the consumer; the engine ignores it */
	uint8_t dtdt_ckind;
	uint8_t dtdt_flags; /* DIF_TF_* */
	uint8_t dtdt_pad;   /* 0 */
	uint32_t dtdt_size; /* bytes; 0 for void; a string's 0 means strsize */
} dtrace_diftype_t;

/* A variable that a DIFO uses: an entry of its variable table. */
typedef struct dtrace_difv {
	uint32_t dtdv_name;  /* offset in the string table */
	uint32_t dtdv_id;    /* DIF_VAR_* or a number from DIF_VAR_OTHER_UBASE on */
	uint8_t dtdv_kind;   /* DIFV_KIND_* */
	uint8_t dtdv_scope;  /* DIFV_SCOPE_* */
	uint16_t dtdv_flags; /* DIFV_F_* */
	dtrace_diftype_t dtdv_type;
} dtrace_difv_t;

#define DIFV_KIND_ARRAY	  0 /* associative (or built-in) array */
#define DIFV_KIND_SCALAR  1
#define DIFV_SCOPE_GLOBAL 0
#define DIFV_SCOPE_THREAD 1
#define DIFV_SCOPE_LOCAL  2
#define DIFV_F_REF	  0x1 /* the DIFO reads it */
#define DIFV_F_MOD	  0x2 /* the DIFO writes it */

#endif
