/* SPDX-License-Identifier: MIT */
/*
 * segment.h - the loadable segments of an ELF file: where its bytes are in a process. (segment.c)
 */
#ifndef DT_SEGMENT_H
#define DT_SEGMENT_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* addr is in the file's own address space, size what the file has of the segment. */
struct dt_segment {
	uint64_t offset, size, addr;
	bool code;
};

struct dt_segments {
	struct dt_segment *list;
	size_t n;
};

/*
 * Read the segments of a file. Return false without memory, or if the program headers cannot be
 * read. The caller frees segs in any case.
 */
bool dt_segments_read(struct dt_segments *segs, Elf *elf);
/* Free the list, and make it empty. */
void dt_segments_free(struct dt_segments *segs);
/*
 * Set *bias to what is added to the file's addresses in a process that has mapped its bytes from
 * offset on, which begin with a page, as code at start. Return false if no segment of code has
 * these bytes.
 */
bool dt_segments_bias(const struct dt_segments *segs, uint64_t start, uint64_t offset,
		      uint64_t *bias);
/* Return the segment with an address, or NULL. code: segments of code only. */
const struct dt_segment *dt_segments_find(const struct dt_segments *segs, bool code, uint64_t addr);

#endif
