/* SPDX-License-Identifier: MIT */
/* sample_record.c - reads records of the rings of perf events. */
#include <string.h>
#include "sample_record.h"

bool sample_next(const char *ring, uint64_t size, uint64_t head, uint64_t *tail, char *copy,
		 const struct perf_event_header **record)
{
	uint64_t at = *tail & (size - 1), left = head - *tail;
	const struct perf_event_header *header = (const void *)(ring + at);

	/* Records are aligned to 8 bytes, as is the ring: a header has no gap in it. */
	if (left < sizeof(*header) || left > size || header->size < sizeof(*header) ||
	    header->size % 8 || header->size > left) {
		*tail = head;
		return false;
	}
	*tail += header->size;
	*record = header;
	if (at + header->size > size) {
		memcpy(copy, ring + at, size - at);
		memcpy(copy + (size - at), ring, header->size - (size - at));
		*record = (const void *)copy;
	}
	return true;
}

/* Take n bytes of a record. Return false if there are fewer. */
static bool take(const char **at, const char *end, void *to, size_t n)
{
	if ((size_t)(end - *at) < n)
		return false;
	memcpy(to, *at, n);
	*at += n;
	return true;
}

/* Take the registers. A kernel thread has none. */
static bool take_registers(const char **at, const char *end, struct sample *sample)
{
	uint64_t abi;

	if (!take(at, end, &abi, sizeof(abi)))
		return false;
	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return true;
	sample->word = abi == PERF_SAMPLE_REGS_ABI_64 ? 8 : 4;
	return take(at, end, sample->regs, sizeof(sample->regs));
}

/*
 * Take the bytes of the stack. The record has space for a fixed number, of which fewer may be
 * filled in.
 */
static bool take_stack(const char **at, const char *end, struct sample *sample)
{
	uint64_t size, filled;

	if (!take(at, end, &size, sizeof(size)))
		return false;
	if (!size)
		return true;
	if ((uint64_t)(end - *at) < size)
		return false;
	sample->stack = *at;
	*at += size;
	if (!take(at, end, &filled, sizeof(filled)) || filled > size)
		return false;
	sample->stack_size = filled;
	return true;
}

bool sample_parse(const struct perf_event_header *record, struct sample *sample)
{
	const char *at = (const char *)(record + 1), *end = (const char *)record + record->size;
	uint32_t ids[2], cpu[2];

	*sample = (struct sample){.kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
					    PERF_RECORD_MISC_KERNEL};
	if (!take(&at, end, &sample->id, sizeof(sample->id)) ||
	    !take(&at, end, &sample->ip, sizeof(sample->ip)) || !take(&at, end, ids, sizeof(ids)) ||
	    !take(&at, end, &sample->time, sizeof(sample->time)) ||
	    !take(&at, end, cpu, sizeof(cpu)))
		return false;
	sample->pid = ids[0];
	sample->tid = ids[1];
	sample->cpu = cpu[0];
	return take_registers(&at, end, sample) && take_stack(&at, end, sample);
}
