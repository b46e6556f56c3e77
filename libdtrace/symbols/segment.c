/* SPDX-License-Identifier: MIT */
/* segment.c - the loadable segments of an ELF file. */
#include <stdlib.h>
#include "segment.h"

#define PAGE 4096 /* bytes to which mappings are rounded */

bool dt_segments_read(struct dt_segments *segs, Elf *elf)
{
	size_t n = 0;
	GElf_Phdr ph;

	*segs = (struct dt_segments){NULL, 0};
	if (elf_getphdrnum(elf, &n) == 0)
		segs->list = calloc(n + 1, sizeof(*segs->list));
	if (!segs->list)
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, i, &ph) && ph.p_type == PT_LOAD)
			segs->list[segs->n++] = (struct dt_segment){ph.p_offset, ph.p_filesz,
								    ph.p_vaddr, ph.p_flags & PF_X};
	return true;
}

void dt_segments_free(struct dt_segments *segs)
{
	free(segs->list);
	*segs = (struct dt_segments){NULL, 0};
}

bool dt_segments_bias(const struct dt_segments *segs, uint64_t start, uint64_t offset,
		      uint64_t *bias)
{
	for (size_t i = 0; i < segs->n; i++) {
		const struct dt_segment *seg = &segs->list[i];

		if (!seg->code || offset + PAGE <= seg->offset || offset >= seg->offset + seg->size)
			continue;
		*bias = start - (seg->addr + (offset - seg->offset));
		return true;
	}
	return false;
}

const struct dt_segment *dt_segments_find(const struct dt_segments *segs, bool code, uint64_t addr)
{
	for (size_t i = 0; i < segs->n; i++)
		if ((!code || segs->list[i].code) && addr - segs->list[i].addr < segs->list[i].size)
			return &segs->list[i];
	return NULL;
}
