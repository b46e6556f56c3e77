/* SPDX-License-Identifier: MIT */
/*
 * frame.c - where functions begin and end, by .eh_frame: it has those as well that no symbol
 * names, or whose symbol has no size.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>
#include "../list.h"
#include "object.h"

/* The section while it is read. */
struct frames {
	const Elf_Data *data;
	uint64_t addr; /* of the section */
	const unsigned char *ident;
	int bits;
	Dwarf_Off cie;	  /* the one whose encoding is known */
	uint8_t encoding; /* DW_EH_PE_* of addresses */
};

static unsigned int pointer_size(const struct frames *fr, uint8_t encoding)
{
	switch (encoding & 0x07) {
	case DW_EH_PE_absptr:
		return fr->bits / 8;
	case DW_EH_PE_udata2:
		return 2;
	case DW_EH_PE_udata4:
		return 4;
	case DW_EH_PE_udata8:
		return 8;
	default:
		return 0;
	}
}

/* A number of that encoding, sign-extended; false: it is not in the section. */
static bool pointer_read(const struct frames *fr, const uint8_t *at, uint8_t encoding,
			 uint64_t *value)
{
	unsigned int size = pointer_size(fr, encoding);
	const uint8_t *begin = fr->data->d_buf;
	uint64_t raw = 0;

	if (size == 0 || at < begin || at + size > begin + fr->data->d_size)
		return false;
	memcpy(&raw, at, size);
	if (size < 8 && (encoding & DW_EH_PE_signed))
		raw = (uint64_t)((int64_t)(raw << (64 - size * 8)) >> (64 - size * 8));
	*value = raw;
	return true;
}

/* How a CIE has its FDEs' addresses written. */
static uint8_t cie_encoding(const struct frames *fr, const Dwarf_CIE *cie)
{
	const uint8_t *at = cie->augmentation_data, *end = at + cie->augmentation_data_size;
	const char *what = cie->augmentation;

	if (*what != 'z')
		return DW_EH_PE_absptr;
	while (*++what != '\0' && at < end) {
		if (*what == 'R')
			return *at;
		if (*what == 'P')
			at += 1 + pointer_size(fr, *at);
		else if (*what == 'L')
			at++;
	}
	return DW_EH_PE_absptr;
}

static bool frames_cie(struct frames *fr, Dwarf_Off at)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (fr->cie == at)
		return true;
	if (dwarf_next_cfi(fr->ident, (Elf_Data *)fr->data, true, at, &next, &entry) != 0 ||
	    !dwarf_cfi_cie_p(&entry))
		return false;
	fr->cie = at;
	fr->encoding = cie_encoding(fr, &entry.cie);
	return true;
}

static bool fde_read(struct frames *fr, const Dwarf_FDE *fde, struct pid_frame *frame)
{
	const uint8_t *at = fde->start;

	if (!frames_cie(fr, fde->CIE_pointer) || !pointer_read(fr, at, fr->encoding, &frame->addr))
		return false;
	if ((fr->encoding & 0x70) == DW_EH_PE_pcrel)
		frame->addr += fr->addr + (at - (const uint8_t *)fr->data->d_buf);
	else if ((fr->encoding & 0x70) != 0)
		return false;
	at += pointer_size(fr, fr->encoding);
	return pointer_read(fr, at, fr->encoding & 0x07, &frame->size) && frame->size != 0;
}

static bool frame_add(struct pid_object *obj, const struct pid_frame *frame)
{
	struct pid_frame *more = dt_list_grow(obj->frames, obj->nframes, sizeof(*more));

	if (more == NULL)
		return false;
	obj->frames = more;
	more[obj->nframes++] = *frame;
	return true;
}

static void frames_read(struct pid_object *obj, struct frames *fr)
{
	Dwarf_CFI_Entry entry;
	struct pid_frame frame;

	for (Dwarf_Off at = 0, next = 0;; at = next) {
		int rv = dwarf_next_cfi(fr->ident, (Elf_Data *)fr->data, true, at, &next, &entry);

		if (rv == 1 || next <= at || next == (Dwarf_Off)-1)
			return;
		if (rv == 0 && !dwarf_cfi_cie_p(&entry) && fde_read(fr, &entry.fde, &frame) &&
		    !frame_add(obj, &frame))
			return;
	}
}

static int frame_cmp(const void *left, const void *right)
{
	const struct pid_frame *l = left, *r = right;

	return l->addr < r->addr ? -1 : l->addr > r->addr;
}

void pid_frames_read(struct pid_object *obj)
{
	struct frames fr = {.bits = obj->bits, .cie = (Dwarf_Off)-1};
	GElf_Shdr sh;
	size_t strs;

	fr.ident = (const unsigned char *)elf_getident(obj->elf, NULL);
	if (fr.ident == NULL || elf_getshdrstrndx(obj->elf, &strs) != 0)
		return;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(obj->elf, scn)) != NULL;) {
		const char *name = gelf_getshdr(scn, &sh) != NULL
					   ? elf_strptr(obj->elf, strs, sh.sh_name)
					   : NULL;

		if (name == NULL || strcmp(name, ".eh_frame") != 0 || sh.sh_type == SHT_NOBITS)
			continue;
		fr.data = elf_getdata(scn, NULL);
		fr.addr = sh.sh_addr;
		if (fr.data != NULL && fr.data->d_buf != NULL)
			frames_read(obj, &fr);
	}
	if (obj->nframes > 0)
		qsort(obj->frames, obj->nframes, sizeof(*obj->frames), frame_cmp);
}
