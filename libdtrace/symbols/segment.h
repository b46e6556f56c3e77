/* SPDX-License-Identifier: MIT */
/*
 * segment.h - the loadable segments of an ELF file: what of it is where in a process. (segment.c)
 */
#ifndef DT_SEGMENT_H
#define DT_SEGMENT_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* addr: in the file's own address space. size: bytes that the file has of it. */
struct dt_segment {
	uint64_t offset, size, addr;
	bool code;
};

struct dt_segments {
	struct dt_segment *list;
	size_t n;
};

/*
 * dt_segments_read - those of a file; false without memory, or if it has no program headers that can
 * be read. dt_segments_free - as they were before.
 */
bool dt_segments_read(struct dt_segments *segs, Elf *elf);
void dt_segments_free(struct dt_segments *segs);
/*
 * dt_segments_bias - what is added to the file's addresses where its bytes from offset on, which
 * begin with a page, are mapped as code at start; false: no segment of code has them.
 */
bool dt_segments_bias(const struct dt_segments *segs, uint64_t start, uint64_t offset,
		      uint64_t *bias);
/* dt_segments_find - the one that has the address; code: of code only. NULL: there is none. */
const struct dt_segment *dt_segments_find(const struct dt_segments *segs, bool code, uint64_t addr);

#endif
