/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * record.h - what the engine writes into buffers and a consumer reads out.
 *
 * A principal buffer is a run of records, each 8-byte aligned:
 *
 *	+--------+--------+-------------------+---------------- ... -----+
 *	| epid   | size   | timestamp (ns)    | data of the actions      |
 *	+--------+--------+-------------------+---------------- ... -----+
 *	  4 bytes  4 bytes  8 bytes             size - 16 bytes
 *
 * The ECB that the epid names (DTRACEIOC_EPROBE) says where each action's data lies in it:
 * offsets in dtrace_recdesc are from the start of the record and respect dtrd_alignment. An epid
 * of DTRACE_EPIDNONE is padding: skip to the next multiple of 8 (its size is not valid). Within a
 * CPU's buffer timestamps do not decrease, except that records of a committed speculation carry
 * the time at which they were made.
 *
 * A ring buffer is given out from its oldest record on.
 *
 * An aggregation buffer snapshot is a run of
 *
 *	+--------+--------+--------------- ... ---+---------------- ... ---+
 *	| aggid  | size   | keys                  | value                  |
 *	+--------+--------+--------------- ... ---+---------------- ... ---+
 *
 * each 8-byte aligned, size being that of the whole. DTRACEIOC_AGGDESC describes the longest entry:
 * its last record is the value. A key with DTRACE_REC_STRING is a string with its NUL, padded with
 * zeros to a multiple of 8 bytes. All that follows is as many bytes nearer to the beginning as the
 * string takes less than its dtrd_size, rounded up to a multiple of 8.
 *
 * Values: count, sum, min, max: int64. avg: count, sum. stddev: count, sum, and the 128-bit sum of
 * squares (low, high). quantize: 127 buckets. lquantize: the argument word, then levels + 2
 * buckets; llquantize: the argument word, then its buckets. All words are 64 bits.
 */
#ifndef DTRACE_RECORD_H
#define DTRACE_RECORD_H

#include <dtrace/types.h>
#include <dtrace/limits.h>

typedef uint32_t dtrace_id_t;	    /* probe; 0 (DTRACE_IDNONE) is none */
typedef uint32_t dtrace_epid_t;	    /* enabled probe: an ECB of a session */
typedef uint32_t dtrace_aggid_t;    /* aggregation of a session, from 1 on */
typedef uint64_t dtrace_aggvarid_t; /* aggregation as the program names it */
typedef uint16_t dtrace_actkind_t;
typedef uint64_t dtrace_optval_t;
typedef uint32_t dtrace_specid_t;

#define DTRACE_IDNONE	    0
#define DTRACE_EPIDNONE	    0
#define DTRACE_AGGIDNONE    0
#define DTRACE_AGGVARIDNONE 0

struct dtrace_rechdr {
	dtrace_epid_t dtrh_epid;
	uint32_t dtrh_size;	 /* whole record with header; a multiple of 8 */
	uint64_t dtrh_timestamp; /* ns, as the D variable timestamp */
};
typedef struct dtrace_rechdr dtrace_rechdr_t;

struct dtrace_aggrec {
	dtrace_aggid_t dtar_id;
	uint32_t dtar_size; /* whole entry; a multiple of 8 */
};
typedef struct dtrace_aggrec dtrace_aggrec_t;

/* Kinds of actions. The high byte is the class. The numbers are the published ones. */
#define DTRACEACT_NONE 0
/* trace() and the arguments of others: value of a DIFO */
#define DTRACEACT_DIFEXPR  1
#define DTRACEACT_EXIT	   2 /* int32 status */
#define DTRACEACT_PRINTF   3 /* a DIFO per argument; groups by dtrd_uarg */
#define DTRACEACT_PRINTA   4
#define DTRACEACT_LIBACT   5 /* done by the consumer; value of a DIFO recorded */
#define DTRACEACT_TRACEMEM 6 /* arg: bytes */
/* number of valid bytes of the tracemem before it */
#define DTRACEACT_TRACEMEM_DYNSIZE 7
/* arg: bytes at most; the value: address of an address and a length; record: length, bytes */
#define DTRACEACT_PRINTM 8

#define DTRACEACT_PROC 0x0100
/* arg: DTRACE_USTACK_ARG; record: u64 pid, then frames, 0 ends; string area */
#define DTRACEACT_USTACK 0x0101
#define DTRACEACT_JSTACK 0x0102
/* record of these three: u64 pid, u64 address */
#define DTRACEACT_USYM		     0x0103
#define DTRACEACT_UMOD		     0x0104
#define DTRACEACT_UADDR		     0x0105
#define DTRACEACT_PROC_DESTRUCTIVE   0x0200
#define DTRACEACT_STOP		     0x0201
#define DTRACEACT_RAISE		     0x0202
#define DTRACEACT_SYSTEM	     0x0203
#define DTRACEACT_FREOPEN	     0x0204
#define DTRACEACT_PROC_CONTROL	     0x0300
#define DTRACEACT_KERNEL	     0x0400
#define DTRACEACT_STACK		     0x0401 /* arg: frames; record: u64 frames, 0 ends */
#define DTRACEACT_SYM		     0x0402 /* record: u64 address */
#define DTRACEACT_MOD		     0x0403
#define DTRACEACT_KERNEL_DESTRUCTIVE 0x0500
#define DTRACEACT_BREAKPOINT	     0x0501
#define DTRACEACT_PANIC		     0x0502
#define DTRACEACT_CHILL		     0x0503
#define DTRACEACT_SPECULATIVE	     0x0600
#define DTRACEACT_SPECULATE	     0x0601
#define DTRACEACT_COMMIT	     0x0602
#define DTRACEACT_DISCARD	     0x0603
#define DTRACEACT_AGGREGATION	     0x0700
#define DTRACEAGG_COUNT		     0x0701
#define DTRACEAGG_MIN		     0x0702
#define DTRACEAGG_MAX		     0x0703
#define DTRACEAGG_AVG		     0x0704
#define DTRACEAGG_SUM		     0x0705
#define DTRACEAGG_STDDEV	     0x0706
#define DTRACEAGG_QUANTIZE	     0x0707
#define DTRACEAGG_LQUANTIZE	     0x0708 /* arg: DTRACE_LQUANTIZE_* word */
#define DTRACEAGG_LLQUANTIZE	     0x0709 /* arg: DTRACE_LLQUANTIZE_* word */

#define DTRACEACT_CLASS(k) (0xff00 & (k))
#define DTRACEACT_ISDESTRUCTIVE(k)                           \
	(DTRACEACT_CLASS(k) == DTRACEACT_PROC_DESTRUCTIVE || \
	 DTRACEACT_CLASS(k) == DTRACEACT_KERNEL_DESTRUCTIVE)
#define DTRACEACT_ISSPECULATIVE(k) (DTRACEACT_CLASS(k) == DTRACEACT_SPECULATIVE)
#define DTRACEACT_ISPRINTFLIKE(k)                                                         \
	((k) == DTRACEACT_PRINTF || (k) == DTRACEACT_PRINTA || (k) == DTRACEACT_SYSTEM || \
	 (k) == DTRACEACT_FREOPEN)
/*
 * dofa_arg of the DIFEXPR in an aggregation's tuple, just before the last action, that is the
 * weight and not a key.
 */
#define DTRACE_AGG_WEIGHT 1

#define DTRACEACT_ISAGG(k) (DTRACEACT_CLASS(k) == DTRACEACT_AGGREGATION)

/* Argument of ustack and jstack: frames in the low half, bytes of string space in the high half. */
#define DTRACE_USTACK_NFRAMES(x)       ((uint32_t)(x))
#define DTRACE_USTACK_STRSIZE(x)       ((uint32_t)((x) >> 32))
#define DTRACE_USTACK_ARG(frames, str) (((uint64_t)(str) << 32) | (uint32_t)(frames))

/* quantize(): bucket 63 is zero, 64 is 1, 65 is 2, 62 is -1 ... */
#define DTRACE_QUANTIZE_NBUCKETS   127
#define DTRACE_QUANTIZE_ZEROBUCKET 63
#define DTRACE_QUANTIZE_BUCKETVAL(b)                                          \
	((b) < DTRACE_QUANTIZE_ZEROBUCKET                                     \
		 ? -(int64_t)(1ULL << (DTRACE_QUANTIZE_ZEROBUCKET - 1 - (b))) \
	 : (b) == DTRACE_QUANTIZE_ZEROBUCKET                                  \
		 ? 0                                                          \
		 : (int64_t)(1ULL << ((b)-DTRACE_QUANTIZE_ZEROBUCKET - 1)))

/* lquantize(x, base, limit, step): one word - step 48..63, levels 32..47, base 0..31 (signed). */
#define DTRACE_LQUANTIZE_STEP(x)   ((uint16_t)((uint64_t)(x) >> 48))
#define DTRACE_LQUANTIZE_LEVELS(x) ((uint16_t)((uint64_t)(x) >> 32))
#define DTRACE_LQUANTIZE_BASE(x)   ((int32_t)(uint32_t)(x))
#define DTRACE_LQUANTIZE_ARG(base, levels, step)                                     \
	(((uint64_t)(uint16_t)(step) << 48) | ((uint64_t)(uint16_t)(levels) << 32) | \
	 (uint32_t)(int32_t)(base))

/* llquantize(x, factor, low, high, nsteps): four 16-bit fields, factor highest. */
#define DTRACE_LLQUANTIZE_FACTOR(x) ((uint16_t)((uint64_t)(x) >> 48))
#define DTRACE_LLQUANTIZE_LOW(x)    ((uint16_t)((uint64_t)(x) >> 32))
#define DTRACE_LLQUANTIZE_HIGH(x)   ((uint16_t)((uint64_t)(x) >> 16))
#define DTRACE_LLQUANTIZE_NSTEP(x)  ((uint16_t)(x))
#define DTRACE_LLQUANTIZE_ARG(factor, low, high, nstep)                             \
	(((uint64_t)(uint16_t)(factor) << 48) | ((uint64_t)(uint16_t)(low) << 32) | \
	 ((uint64_t)(uint16_t)(high) << 16) | (uint16_t)(nstep))
/*
 * Buckets of llquantize: [0] below factor^low; then for each magnitude low..high, nsteps -
 * nsteps/factor linear buckets (from factor^m to factor^(m+1), each factor^(m+1)/nsteps wide;
 * when nsteps > factor^(m+1) the magnitude has factor^(m+1) - factor^m buckets of width 1); the
 * last is factor^(high+1) and above.
 */

/* Faults that a clause can have: arg4 of the ERROR probe. The numbers are the published ones. */
#define DTRACEFLT_UNKNOWN   0
#define DTRACEFLT_BADADDR   1 /* arg5: the address */
#define DTRACEFLT_BADALIGN  2 /* arg5: the address */
#define DTRACEFLT_ILLOP	    3
#define DTRACEFLT_DIVZERO   4
#define DTRACEFLT_NOSCRATCH 5
#define DTRACEFLT_KPRIV	    6 /* arg5: the address */
#define DTRACEFLT_UPRIV	    7 /* arg5: the address */
#define DTRACEFLT_TUPOFLOW  8
#define DTRACEFLT_BADSTACK  9
#define DTRACEFLT_WORK	    10	 /* the firing ends: it has done all that its session may do */
#define DTRACEFLT_LIBRARY   1000 /* reported by the consumer, not the engine */

#endif
