/* SPDX-License-Identifier: MIT */
/* sample_record.h - records of the rings of perf events. (sample_record.c) */
#ifndef DT_USERLAND_SAMPLE_RECORD_H
#define DT_USERLAND_SAMPLE_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The fields of a sample that sample_parse() expects. */
#define SAMPLE_TYPE                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
#define SAMPLE_REGS  0xff0fffULL /* all registers of x86-64 except ds, es, fs and gs */
#define SAMPLE_NREGS 20

/* The index in the registers of a sample. */
enum {
	SAMPLE_AX,
	SAMPLE_BX,
	SAMPLE_CX,
	SAMPLE_DX,
	SAMPLE_SI,
	SAMPLE_DI,
	SAMPLE_BP,
	SAMPLE_SP,
	SAMPLE_IP,
	SAMPLE_FLAGS,
	SAMPLE_CS,
	SAMPLE_SS,
	SAMPLE_R8,
};

/* A sample of a thread. */
struct sample {
	uint64_t id, ip, time;
	uint32_t pid, tid, cpu;
	bool kernel;	   /* ip is in the kernel */
	unsigned int word; /* size of a pointer in the process; 0: the registers are unknown */
	uint64_t regs[SAMPLE_NREGS];
	const char *stack; /* contents from the stack pointer on */
	size_t stack_size;
};

/*
 * sample_next - take a record between *tail and head from a ring of size bytes (a power of two).
 * *record points into the ring, or to copy[UINT16_MAX + 1]. Return false if there is no valid
 * record; *tail is head then.
 */
bool sample_next(const char *ring, uint64_t size, uint64_t head, uint64_t *tail, char *copy,
		 const struct perf_event_header **record);
/* sample_parse - read a PERF_RECORD_SAMPLE. Return false if its sizes are wrong. */
bool sample_parse(const struct perf_event_header *record, struct sample *sample);

#endif
