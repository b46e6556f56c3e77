/* SPDX-License-Identifier: MIT */
/*
 * object.c - executable files as the pid provider needs them: functions, extents, code; and which
 * of them a process has mapped. Files are opened once, and kept for all processes. Breakpoints of
 * debuggers and the results of ifuncs are looked for in a process's memory.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include "../list.h"
#include "../process/memory.h"
#include "../process/procfs.h"
#include "../usdt/machine.h"
#include "../world.h"
#include "impl.h"

#define UNWIND_SP 7	 /* number of the stack pointer in rules */
#define PAGE	  4096UL /* in which the end of a segment is mapped, with what the file has there */
#define MAXFILES  256	 /* files that are kept open while programs come and go */
#define TRIES	  20	 /* to read what a process that executes others has mapped */
#define INT3	  0xcc
#define NOP	  0x90
#define DATA16	  0x66
#define CS	  0x2e

/* ---- extents of functions in .eh_frame ---- */

/* The section while it is read. */
struct frames {
	const Elf_Data *data;
	uint64_t addr; /* of the section */
	const unsigned char *ident;
	int bits;
	Dwarf_Off cie;	  /* whose encoding is known */
	uint8_t encoding; /* DW_EH_PE_* of addresses */
};

/* Return the bytes of a number of an encoding, 0 if it is not known. */
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

/* Read a number of an encoding, sign-extended. Return false if it is not in the section. */
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

/* Return the encoding of addresses in the FDEs of a CIE. */
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

/* Set the encoding to that of the CIE at an offset. Return false if there is no CIE. */
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

/* Read the extent that an FDE has. Return false if it has none. */
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

/* Read all FDEs of a section. Without memory, the rest is left out. */
static void frames_read(struct pid_object *obj, struct frames *fr)
{
	struct pid_frame frame, *more;
	Dwarf_CFI_Entry entry;

	for (Dwarf_Off at = 0, next = 0;; at = next) {
		int rv = dwarf_next_cfi(fr->ident, (Elf_Data *)fr->data, true, at, &next, &entry);

		if (rv == 1 || next <= at || next == (Dwarf_Off)-1)
			return;
		if (rv != 0 || dwarf_cfi_cie_p(&entry) || !fde_read(fr, &entry.fde, &frame))
			continue;
		more = dt_list_grow(obj->frames, obj->nframes, sizeof(*more));
		if (!more)
			return;
		obj->frames = more;
		more[obj->nframes++] = frame;
	}
}

static int frame_cmp(const void *left, const void *right)
{
	const struct pid_frame *l = left, *r = right;

	return l->addr < r->addr ? -1 : l->addr > r->addr;
}

/*
 * Read the extents of all functions: .eh_frame also has functions without a symbol, and those whose
 * symbol has no size.
 */
static void frames_read_all(struct pid_object *obj)
{
	struct frames fr = {.bits = obj->bits, .cie = (Dwarf_Off)-1};
	GElf_Shdr sh;
	size_t strs;

	fr.ident = (const unsigned char *)elf_getident(obj->elf, NULL);
	if (!fr.ident || elf_getshdrstrndx(obj->elf, &strs) != 0)
		return;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(obj->elf, scn));) {
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(obj->elf, strs, sh.sh_name) : NULL;

		if (!name || strcmp(name, ".eh_frame") != 0 || sh.sh_type == SHT_NOBITS)
			continue;
		fr.data = elf_getdata(scn, NULL);
		fr.addr = sh.sh_addr;
		if (fr.data && fr.data->d_buf)
			frames_read(obj, &fr);
	}
	if (obj->nframes > 0)
		qsort(obj->frames, obj->nframes, sizeof(*obj->frames), frame_cmp);
}

/* ---- the file ---- */

static void object_close(struct pid_object *obj)
{
	if (!obj)
		return;
	dt_unwind_table_free(obj->unwind);
	dt_symtab_close(obj->tab);
	dt_segments_free(&obj->segs);
	elf_end(obj->elf);
	if (obj->fd != -1)
		close(obj->fd);
	free(obj->frames);
	free(obj->labels);
	free(obj->name);
	free(obj);
}

/*
 * Open the file at path; name is its path in its own file system. Return what the caller closes, or
 * NULL without memory, or if the file has no code of a machine that can be traced.
 */
static struct pid_object *object_open(const char *path, const char *name)
{
	struct pid_object *obj = calloc(1, sizeof(*obj));
	const struct machine *machine;
	GElf_Ehdr header;

	if (!obj)
		return NULL;
	elf_version(EV_CURRENT);
	obj->name = strdup(basename(name));
	obj->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!obj->name || obj->fd == -1)
		goto fail;
	obj->elf = elf_begin(obj->fd, ELF_C_READ, NULL);
	if (!obj->elf || !gelf_getehdr(obj->elf, &header))
		goto fail;
	machine = machine_of(&header);
	if (!machine || !machine->traced || !dt_segments_read(&obj->segs, obj->elf))
		goto fail;
	obj->bits = machine->bits;
	obj->tab = dt_symtab_open(path, name);
	frames_read_all(obj);
	if (obj->tab)
		return obj;
fail:
	object_close(obj);
	return NULL;
}

bool pid_object_offset(struct pid_object *obj, uint64_t addr, uint64_t *offset)
{
	const struct dt_segment *seg = dt_segments_find(&obj->segs, true, addr);

	if (!seg)
		return false;
	*offset = addr - seg->addr + seg->offset;
	return true;
}

/* Return the frame that contains addr, or NULL. */
static const struct pid_frame *frame_find(const struct pid_object *obj, uint64_t addr)
{
	size_t n = dt_list_until(obj->frames, obj->nframes, sizeof(struct pid_frame),
				 offsetof(struct pid_frame, addr), addr);

	if (n == 0 || addr - obj->frames[n - 1].addr >= obj->frames[n - 1].size)
		return NULL;
	return &obj->frames[n - 1];
}

/* Return the end of the section that contains addr, 0 if there is none. */
static uint64_t section_end(struct pid_object *obj, uint64_t addr)
{
	GElf_Shdr sh;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(obj->elf, scn));)
		if (gelf_getshdr(scn, &sh) && (sh.sh_flags & SHF_EXECINSTR) &&
		    addr - sh.sh_addr < sh.sh_size)
			return sh.sh_addr + sh.sh_size;
	return 0;
}

uint64_t pid_object_size(struct pid_object *obj, uint64_t addr)
{
	size_t after = dt_symtab_until(obj->tab, addr), n = dt_symtab_count(obj->tab);
	const struct pid_frame *frame = frame_find(obj, addr);
	uint64_t size = 0, end;

	for (size_t i = after; i-- > 0 && dt_symtab_function(obj->tab, i)->addr == addr;)
		if (dt_symtab_function(obj->tab, i)->size > size &&
		    !dt_symtab_function(obj->tab, i)->ifunc)
			size = dt_symtab_function(obj->tab, i)->size;
	if (size != 0)
		return size;
	if (frame)
		return frame->addr + frame->size - addr;
	end = section_end(obj, addr);
	if (after < n && dt_symtab_function(obj->tab, after)->addr < end)
		end = dt_symtab_function(obj->tab, after)->addr;
	return end > addr ? end - addr : 0;
}

bool pid_object_extent(struct pid_object *obj, uint64_t addr, uint64_t *start, uint64_t *size)
{
	const struct pid_frame *frame = frame_find(obj, addr);
	size_t after = dt_symtab_until(obj->tab, addr);

	if (after > 0) {
		*start = dt_symtab_function(obj->tab, after - 1)->addr;
		*size = pid_object_size(obj, *start);
		if (addr - *start < *size && (!frame || frame->addr <= *start))
			return true;
	}
	if (!frame)
		return false;
	*start = frame->addr;
	*size = frame->size;
	return true;
}

/* Return the length of what the names of all parts of a function begin with. */
static size_t name_root(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold ? (size_t)(cold - name) : strlen(name);
}

/* Return whether two names are those of parts of one function. */
static bool names_are_parts(const char *a, const char *b)
{
	size_t n = name_root(a);

	return n == name_root(b) && memcmp(a, b, n) == 0;
}

bool pid_object_same(struct pid_object *obj, uint64_t start, uint64_t addr, uint64_t *part)
{
	size_t there = dt_symtab_until(obj->tab, addr), here = dt_symtab_until(obj->tab, start);
	const struct dt_function *a, *b;

	if (there == 0)
		return false;
	*part = dt_symtab_function(obj->tab, there - 1)->addr;
	if (addr - *part >= pid_object_size(obj, *part))
		return false;
	for (size_t i = there; i-- > 0 && (a = dt_symtab_function(obj->tab, i))->addr == *part;)
		for (size_t j = here; j-- > 0;) {
			b = dt_symtab_function(obj->tab, j);
			if (b->addr != start)
				break;
			if (names_are_parts(a->name, b->name))
				return true;
		}
	return false;
}

bool pid_object_has_frame(struct pid_object *obj, uint64_t addr)
{
	const dtrace_unwind_rule_t *rule;
	struct dt_unwind_table *table;
	size_t row;

	if (!obj->unwind_made)
		obj->unwind = dt_unwind_table_make(obj->elf);
	obj->unwind_made = true;
	table = obj->unwind;
	if (!table || addr < table->base || addr - table->base > UINT32_MAX)
		return false;
	row = dt_unwind_table_row(table, (uint32_t)(addr - table->base));
	if (row == table->nrows)
		return false;
	rule = &table->rules[table->index[row]];
	return rule->dtur_kind == DTRACE_UNWIND_CFA &&
	       (rule->dtur_base != UNWIND_SP || rule->dtur_cfa > (int32_t)table->word);
}

bool pid_object_nameless(struct pid_object *obj, uint64_t addr, uint64_t *part)
{
	const struct pid_frame *frame = frame_find(obj, addr);
	size_t named;

	if (!frame)
		return false;
	named = dt_symtab_until(obj->tab, frame->addr + frame->size - 1);
	*part = frame->addr;
	return named == 0 || dt_symtab_function(obj->tab, named - 1)->addr < frame->addr;
}

/* Add the addresses of a table's symbols in code. Return false without memory. */
static bool labels_add(struct pid_object *obj, Elf_Data *data)
{
	uint64_t *more;
	GElf_Sym sym;

	for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
		if (sym.st_shndx == SHN_UNDEF || GELF_ST_TYPE(sym.st_info) > STT_FUNC ||
		    !dt_segments_find(&obj->segs, true, sym.st_value))
			continue;
		more = dt_list_grow(obj->labels, obj->nlabels, sizeof(*more));
		if (!more)
			return false;
		obj->labels = more;
		more[obj->nlabels++] = sym.st_value;
	}
	return true;
}

static int label_cmp(const void *left, const void *right)
{
	const uint64_t *l = left, *r = right;

	return *l < *r ? -1 : *l > *r;
}

/*
 * Find the symbols in code of any type, since those of assembly may not be functions; and to which
 * multiples the linker pads functions: 1, if the symbols are not known.
 */
static void labels_read(struct pid_object *obj)
{
	const char *name;
	GElf_Shdr sh;
	size_t strs;

	obj->padding = elf_getshdrstrndx(obj->elf, &strs) == 0 ? PADDING : 1;
	for (Elf_Scn *scn = NULL; obj->padding > 1 && (scn = elf_nextscn(obj->elf, scn));) {
		if (!gelf_getshdr(scn, &sh))
			continue;
		if ((sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM) &&
		    !labels_add(obj, elf_getdata(scn, NULL)))
			obj->padding = 1;
		name = elf_strptr(obj->elf, strs, sh.sh_name);
		if (obj->padding > 1 && name && strcmp(name, ".go.buildinfo") == 0)
			obj->padding = PADDING_GO;
	}
	if (obj->nlabels > 0)
		qsort(obj->labels, obj->nlabels, sizeof(*obj->labels), label_cmp);
}

/* Return the first address from addr to end at which a symbol or a frame begins; else end. */
static uint64_t begin_find(struct pid_object *obj, uint64_t addr, uint64_t end)
{
	const size_t function = dt_symtab_until(obj->tab, addr - 1);
	const size_t frame = dt_list_until(obj->frames, obj->nframes, sizeof(*obj->frames),
					   offsetof(struct pid_frame, addr), addr - 1);
	size_t label;

	label = dt_list_until(obj->labels, obj->nlabels, sizeof(*obj->labels), 0, addr - 1);
	if (function < dt_symtab_count(obj->tab) &&
	    dt_symtab_function(obj->tab, function)->addr < end)
		end = dt_symtab_function(obj->tab, function)->addr;
	if (frame < obj->nframes && obj->frames[frame].addr < end)
		end = obj->frames[frame].addr;
	return label < obj->nlabels && obj->labels[label] < end ? obj->labels[label] : end;
}

/* Return the size of the instruction at the beginning of n bytes if it is int3 or a NOP; else 0. */
static uint64_t pad_size(const uint8_t *bytes, uint64_t n)
{
	static const uint8_t displacement[] = {0, 1, 4};
	uint64_t at = 0, size;

	if (n && *bytes == INT3)
		return 1;
	while (at < n && (bytes[at] == DATA16 || bytes[at] == CS))
		at++;
	if (at < n && bytes[at] == NOP)
		return at + 1;
	if (n - at < 3 || bytes[at] != 0x0f || bytes[at + 1] != 0x1f || bytes[at + 2] >= 0xc0)
		return 0;
	size = at + 3 + ((bytes[at + 2] & 7) == 4) + displacement[bytes[at + 2] >> 6];
	return size <= n ? size : 0;
}

/*
 * Return how many bytes from addr on, the end of a function, are int3 and NOPs that pad it. Other
 * int3 may be breakpoints of the program.
 */
static uint64_t padding_size(struct pid_object *obj, uint64_t addr)
{
	struct insn_text text;
	uint64_t n = 0, size, end;

	if (!obj->padding)
		labels_read(obj);
	end = (addr + obj->padding - 1) & ~(obj->padding - 1);
	if (frame_find(obj, addr) || !pid_object_text(obj, addr, end - addr, &text))
		return 0;
	while (n < text.size && (size = pad_size(text.bytes + n, text.size - n)))
		n += size;
	size = n ? begin_find(obj, addr, end) - addr : 0;
	return size <= n ? size : 0;
}

uint64_t pid_object_spare(struct pid_object *obj, uint64_t addr)
{
	const struct dt_segment *seg = dt_segments_find(&obj->segs, true, addr - 1);
	uint64_t end;
	GElf_Shdr sh;

	if (!seg)
		return 0;
	if (section_end(obj, addr - 1) != addr)
		return padding_size(obj, addr);
	end = (seg->addr + seg->size + PAGE - 1) & ~(PAGE - 1);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(obj->elf, scn));) {
		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC) || !sh.sh_size)
			continue;
		if (addr - sh.sh_addr < sh.sh_size)
			return 0;
		if (sh.sh_addr > addr && sh.sh_addr < end)
			end = sh.sh_addr;
	}
	return end - addr;
}

bool pid_object_text(struct pid_object *obj, uint64_t addr, uint64_t size, struct insn_text *text)
{
	const struct dt_segment *seg = dt_segments_find(&obj->segs, true, addr);
	Elf_Data *data;

	if (!seg || size > seg->size - (addr - seg->addr))
		return false;
	data = elf_getdata_rawchunk(obj->elf, seg->offset, seg->size, ELF_T_BYTE);
	if (!data || data->d_size != seg->size)
		return false;
	*text = (struct insn_text){.bytes = (const uint8_t *)data->d_buf + (addr - seg->addr),
				   .addr = addr,
				   .size = size,
				   .bits = obj->bits};
	return true;
}

/* ---- GOT entries that hold what an ifunc chooses ---- */

/* Read the i-th relocation, of either form. Return false if there is none. */
static bool reloc_get(Elf_Data *data, const GElf_Shdr *sh, int i, GElf_Rela *rela)
{
	GElf_Rel rel;

	if (sh->sh_type == SHT_RELA)
		return gelf_getrela(data, i, rela);
	if (!gelf_getrel(data, i, &rel))
		return false;
	*rela = (GElf_Rela){.r_offset = rel.r_offset, .r_info = rel.r_info};
	return true;
}

/* Return whether a relocation calls an ifunc of its own file. */
static bool reloc_is_irelative(const struct pid_object *obj, uint64_t info)
{
	return GELF_R_TYPE(info) == (obj->bits == 64 ? R_X86_64_IRELATIVE : R_386_IRELATIVE);
}

/* Return the addend of a relocation. In i386 files it is in the entry itself. */
static uint64_t reloc_addend(struct pid_object *obj, const GElf_Shdr *sh, const GElf_Rela *rela)
{
	const struct dt_segment *seg;
	Elf_Data *data;
	uint32_t word;

	if (sh->sh_type == SHT_RELA)
		return rela->r_addend;
	seg = dt_segments_find(&obj->segs, false, rela->r_offset);
	if (!seg)
		return 0;
	data = elf_getdata_rawchunk(obj->elf, rela->r_offset - seg->addr + seg->offset,
				    sizeof(word), ELF_T_BYTE);
	if (!data)
		return 0;
	memcpy(&word, data->d_buf, sizeof(word));
	return word;
}

/* Return whether a relocation has the symbol of this name. */
static bool reloc_names(struct pid_object *obj, const GElf_Shdr *sh, const GElf_Rela *rela,
			const char *name)
{
	Elf_Scn *scn = elf_getscn(obj->elf, sh->sh_link);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	const char *found;
	GElf_Shdr symsh;
	GElf_Sym sym;

	if (!data || GELF_R_SYM(rela->r_info) == 0 || !gelf_getshdr(scn, &symsh) ||
	    !gelf_getsym(data, GELF_R_SYM(rela->r_info), &sym))
		return false;
	found = elf_strptr(obj->elf, symsh.sh_link, sym.st_name);
	return found && strcmp(found, name) == 0;
}

/*
 * Call func with the address of each GOT entry in the object's data that will hold the choice of an
 * ifunc: of that name in another object, or, with name NULL, the one at addr in this object.
 */
static void object_got_entries(struct pid_object *obj, const char *name, uint64_t addr,
			       void (*func)(void *arg, uint64_t entry), void *arg)
{
	Elf_Data *data;
	GElf_Rela rela;
	GElf_Shdr sh;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(obj->elf, scn));) {
		if (!gelf_getshdr(scn, &sh) || (sh.sh_type != SHT_RELA && sh.sh_type != SHT_REL) ||
		    sh.sh_entsize == 0)
			continue;
		data = elf_getdata(scn, NULL);
		for (size_t i = 0; data && i < sh.sh_size / sh.sh_entsize; i++)
			if (reloc_get(data, &sh, i, &rela) &&
			    (name ? reloc_names(obj, &sh, &rela, name)
				  : reloc_is_irelative(obj, rela.r_info) &&
					     reloc_addend(obj, &sh, &rela) == addr))
				func(arg, rela.r_offset);
	}
}

/* ---- what a process has mapped ---- */

void pid_maps_free(struct pid_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		free((char *)maps->maps[i].map.path);
	free(maps->maps);
	maps->maps = NULL;
	maps->n = 0;
}

const struct pid_map *pid_maps_find(const struct pid_maps *maps, const struct dt_mapping *map)
{
	for (size_t i = 0; i < maps->n; i++)
		if (maps->maps[i].map.ino == map->ino && maps->maps[i].map.dev == map->dev)
			return &maps->maps[i];
	return NULL;
}

bool pid_maps_have(const struct pid_maps *maps, const struct dt_mapping *map)
{
	return pid_maps_find(maps, map);
}

int pid_maps_add(void *arg, const struct dt_mapping *map)
{
	struct pid_maps *maps = arg;
	struct pid_map *more;
	char *path;

	if (map->path[0] != '/' || map->ino == 0 || pid_maps_have(maps, map))
		return 0;
	more = dt_list_grow(maps->maps, maps->n, sizeof(*more));
	path = more ? strdup(map->path) : NULL;
	if (more)
		maps->maps = more;
	if (!path)
		return -1;
	more[maps->n] = (struct pid_map){*map, strcmp(path, maps->program) == 0};
	more[maps->n++].map.path = path;
	return 0;
}

void pid_maps_remove(struct pid_maps *maps, size_t i)
{
	free((char *)maps->maps[i].map.path);
	maps->n--;
	memmove(maps->maps + i, maps->maps + i + 1, (maps->n - i) * sizeof(*maps->maps));
}

/* Read the path of what a process executes; "" if it has ended, or the user may not read it. */
static void program_read(pid_t pid, char path[DT_MAPPATH])
{
	const int fd = dt_proc_open(pid, O_PATH, "exe");
	char link[DT_FDPATH];
	ssize_t n = -1;

	if (fd != -1) {
		n = readlink(dt_fd_path(fd, link), path, DT_MAPPATH - 1);
		close(fd);
	}
	path[n > 0 ? n : 0] = '\0';
	dt_path_undelete(path);
}

const struct pid_map *pid_maps_program(const struct pid_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		if (maps->maps[i].program)
			return &maps->maps[i];
	return NULL;
}

/* Read once more if the process executes another program meanwhile: name and files may differ. */
bool pid_maps_read(struct pid_maps *maps, pid_t pid)
{
	char after[DT_MAPPATH];
	int rv, tries = 0;

	program_read(pid, after);
	do {
		pid_maps_free(maps);
		strcpy(maps->program, after);
		rv = dt_mappings(pid, pid_maps_add, maps);
		program_read(pid, after);
	} while ((strcmp(after, maps->program) != 0 || (maps->n > 0 && !pid_maps_program(maps))) &&
		 ++tries < TRIES);
	return rv == 0;
}

bool pid_maps_find_again(struct pid_maps *maps, size_t i, pid_t pid)
{
	struct dt_mapping *map = &maps->maps[i].map;
	const struct pid_map *found = NULL;
	struct pid_maps now = {0};

	if (pid_maps_read(&now, pid))
		found = pid_maps_find(&now, map);
	if (found) {
		map->start = found->map.start;
		map->end = found->map.end;
		map->offset = found->map.offset;
	}
	pid_maps_free(&now);
	return found;
}

/* ---- files that processes have mapped ---- */

/* Return the object of an open file, NULL if it cannot be read. */
static struct pid_object *object_of(int fd, const char *name)
{
	char path[DT_FDPATH];

	return object_open(dt_fd_path(fd, path), name);
}

/* Return when the file of an object was changed; zero for NULL. */
static struct timespec file_changed(const struct pid_object *obj)
{
	struct stat st;

	return obj && fstat(obj->fd, &st) == 0 ? st.st_ctim : (struct timespec){0};
}

/* Return whether it is the file of a mapping, not written to since it was opened. */
static bool file_is(const struct pid_file *file, const struct dt_mapping *map)
{
	struct timespec changed;

	if (file->dev != map->dev || file->ino != map->ino || strcmp(file->path, map->path) != 0)
		return false;
	changed = file_changed(file->obj);
	return changed.tv_sec == file->changed.tv_sec && changed.tv_nsec == file->changed.tv_nsec;
}

/* Return a known file, and put it first in the list; NULL if it is not known. */
static struct pid_file *file_find(struct dt_pid *pd, const struct dt_mapping *map)
{
	struct pid_file *file;

	for (struct pid_file **at = &pd->files; (file = *at); at = &file->next)
		if (file_is(file, map)) {
			*at = file->next;
			file->next = pd->files;
			pd->files = file;
			return file;
		}
	return NULL;
}

/* Return a new file; NULL without memory. */
static struct pid_file *file_create(int fd, const struct dt_mapping *map)
{
	struct pid_file *file = calloc(1, sizeof(*file));

	if (!file || !(file->path = strdup(map->path))) {
		free(file);
		return NULL;
	}
	file->obj = object_of(fd, map->path);
	file->changed = file_changed(file->obj);
	file->dev = map->dev;
	file->ino = map->ino;
	return file;
}

/* Return the object of a mapped file; NULL if it cannot be read, or has no code. */
static struct pid_object *file_object(struct dt_pid *pd, pid_t pid, const struct dt_mapping *map)
{
	struct pid_file *file = file_find(pd, map);
	int fd;

	if (file)
		return file->obj;
	fd = dt_mapping_open(pid, map);
	if (fd == -1)
		return NULL;
	file = file_create(fd, map);
	close(fd);
	if (!file)
		return NULL;
	file->next = pd->files;
	pd->files = file;
	return file->obj;
}

bool mapped_object_init(struct mapped_object *mapped, struct dt_pid *pd, pid_t pid,
			const struct pid_map *map)
{
	*mapped = (struct mapped_object){
		.dtp = pd->dtp,
		.process = pid,
		.debugged = pid_is_debugged(pid),
		.executed = map->program,
	};
	mapped->obj = file_object(pd, pid, &map->map);
	mapped->module = mapped->obj ? mapped->obj->name : NULL;
	return mapped->obj &&
	       dt_segments_bias(&mapped->obj->segs, map->map.start, map->map.offset, &mapped->bias);
}

void pid_files_trim(struct dt_pid *pd)
{
	struct pid_file *file = pd->files;

	for (unsigned int i = 1; file && i < MAXFILES; i++)
		file = file->next;
	if (!file)
		return;
	pid_files_free(file->next);
	file->next = NULL;
}

void pid_files_free(struct pid_file *files)
{
	struct pid_file *next;

	for (; files; files = next) {
		next = files->next;
		object_close(files->obj);
		free(files->path);
		free(files);
	}
}

/* ---- breakpoints of debuggers ---- */

bool pid_is_debugged(pid_t pid)
{
	char path[64], line[256];
	int tracer = 0;
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fp = fopen(path, "re");
	while (fp && fgets(line, sizeof(line), fp))
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	if (fp)
		fclose(fp);
	return tracer != 0;
}

bool pid_debuggees_add(struct pid_debuggees *some, pid_t pid, const struct dt_mapping *map)
{
	struct pid_debuggee *list = dt_list_grow(some->list, some->n, sizeof(*list));

	if (!list)
		return false;
	some->list = list;
	list[some->n++] = (struct pid_debuggee){pid, map->start, map->offset};
	return true;
}

/* Return whether a process has a breakpoint at an address, or may not be read. */
static bool memory_has_breakpoint(pid_t pid, uint64_t address)
{
	uint8_t byte;

	errno = 0;
	return dt_memory_read(pid, address, &byte, 1) ? byte == INT3
						      : errno == EACCES || errno == EPERM;
}

/* Return whether another debugged process has a breakpoint there. */
static bool others_have_breakpoint(const struct mapped_object *mapped, uint64_t addr)
{
	const struct pid_debuggee *one;
	uint64_t bias;

	for (size_t i = 0; mapped->others && i < mapped->others->n; i++) {
		one = &mapped->others->list[i];
		if (dt_segments_bias(&mapped->obj->segs, one->start, one->offset, &bias) &&
		    memory_has_breakpoint(one->pid, addr + bias))
			return true;
	}
	return false;
}

bool mapped_object_has_breakpoint(const struct mapped_object *mapped, uint64_t addr)
{
	struct insn_text text;
	uint64_t offset;

	return ((mapped->debugged && memory_has_breakpoint(mapped->process, addr + mapped->bias)) ||
		others_have_breakpoint(mapped, addr)) &&
	       pid_object_text(mapped->obj, addr, 1, &text) && text.bytes[0] != INT3 &&
	       pid_object_offset(mapped->obj, addr, &offset) &&
	       !dt_world_has_breakpoint(mapped->dtp, offset, mapped->obj->name);
}

/* ---- the function behind an ifunc ---- */

/*
 * A symbol of type ifunc is the address of a function that chooses another and is not called later.
 * The choice is in the GOT entries from which the process calls it: relocations of the same file
 * name them by the address of the choosing function, those of other files by the symbol.
 */
struct choice {
	const struct mapped_object *mapped; /* of the ifunc */
	uint64_t bias;			    /* of the object whose GOT is read */
	int mem;
	uint64_t addr; /* of the function that was chosen; 0: not known */
};

/*
 * Read a GOT entry. An entry that is not filled yet leads into a table of jumps, where no function
 * begins.
 */
static void choice_got_entry(void *arg, uint64_t entry)
{
	struct choice *ch = arg;
	struct pid_object *obj = ch->mapped->obj;
	uint64_t value = 0, start, size, offset;

	if (ch->addr != 0 ||
	    pread(ch->mem, &value, obj->bits / 8, entry + ch->bias) != obj->bits / 8)
		return;
	value -= ch->mapped->bias;
	if (obj->bits == 32)
		value = (uint32_t)value;
	if (pid_object_offset(obj, value, &offset) &&
	    pid_object_extent(obj, value, &start, &size) && start == value)
		ch->addr = value;
}

uint64_t mapped_object_ifunc(const struct mapped_object *mapped, const struct dt_function *func)
{
	struct choice ch = {.mapped = mapped, .bias = mapped->bias};
	char name[DTRACE_FUNCNAMELEN];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(func->name, "@"), func->name);
	ch.mem = dt_memory_open(mapped->process, O_RDONLY);
	if (ch.mem == -1)
		return 0;
	object_got_entries(mapped->obj, NULL, func->addr, choice_got_entry, &ch);
	if (ch.addr == 0 && mapped->program) {
		ch.bias = mapped->program->bias;
		object_got_entries(mapped->program->obj, name, 0, choice_got_entry, &ch);
	}
	close(ch.mem);
	errno = 0;
	return ch.addr;
}
