/* SPDX-License-Identifier: MIT */
/* object.c - executable files as the pid provider needs them: functions, extents, code. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../usdt/machine.h"
#include "../list.h"
#include "object.h"

/* Is it a file whose processes the kernel module can trace? */
static bool object_is_traced(struct pid_object *obj)
{
	const struct machine *machine;
	GElf_Ehdr header;

	if (obj->elf == NULL || gelf_getehdr(obj->elf, &header) == NULL)
		return false;
	machine = machine_of(&header);
	obj->bits = machine != NULL ? machine->bits : 0;
	return machine != NULL && machine->traced;
}

static bool object_read(struct pid_object *obj, const char *path, const char *name)
{
	elf_version(EV_CURRENT);
	obj->name = strdup(basename(name));
	obj->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (obj->name == NULL || obj->fd == -1)
		return false;
	obj->elf = elf_begin(obj->fd, ELF_C_READ, NULL);
	if (!object_is_traced(obj) || !dt_segments_read(&obj->segs, obj->elf))
		return false;
	obj->tab = dt_symtab_open(path, name);
	pid_frames_read(obj);
	return obj->tab != NULL;
}

struct pid_object *pid_object_open(const char *path, const char *name)
{
	struct pid_object *obj = calloc(1, sizeof(*obj));

	if (obj == NULL)
		return NULL;
	obj->fd = -1;
	if (object_read(obj, path, name))
		return obj;
	pid_object_close(obj);
	return NULL;
}

void pid_object_close(struct pid_object *obj)
{
	if (obj == NULL)
		return;
	dt_symtab_close(obj->tab);
	dt_segments_free(&obj->segs);
	elf_end(obj->elf);
	if (obj->fd != -1)
		close(obj->fd);
	free(obj->frames);
	free(obj->name);
	free(obj);
}

bool pid_object_offset(struct pid_object *obj, uint64_t addr, uint64_t *offset)
{
	const struct dt_segment *seg = dt_segments_find(&obj->segs, true, addr);

	if (seg == NULL)
		return false;
	*offset = addr - seg->addr + seg->offset;
	return true;
}

/* The frame that has addr in it; NULL: there is none. */
static const struct pid_frame *frame_find(const struct pid_object *obj, uint64_t addr)
{
	size_t n = dt_list_until(obj->frames, obj->nframes, sizeof(struct pid_frame),
				 offsetof(struct pid_frame, addr), addr);

	if (n == 0 || addr - obj->frames[n - 1].addr >= obj->frames[n - 1].size)
		return NULL;
	return &obj->frames[n - 1];
}

/* Where the section ends that has addr in it; 0: none has. */
static uint64_t section_end(struct pid_object *obj, uint64_t addr)
{
	GElf_Shdr sh;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(obj->elf, scn)) != NULL;)
		if (gelf_getshdr(scn, &sh) != NULL && (sh.sh_flags & SHF_EXECINSTR) &&
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
	if (frame != NULL)
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
		if (addr - *start < *size && (frame == NULL || frame->addr <= *start))
			return true;
	}
	if (frame == NULL)
		return false;
	*start = frame->addr;
	*size = frame->size;
	return true;
}

/* What the names of all parts of a function begin with. */
static size_t name_root(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold != NULL ? (size_t)(cold - name) : strlen(name);
}

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

bool pid_object_text(struct pid_object *obj, uint64_t addr, uint64_t size, struct pid_text *text)
{
	const struct dt_segment *seg = dt_segments_find(&obj->segs, true, addr);
	Elf_Data *data;

	if (seg == NULL || size > seg->size - (addr - seg->addr))
		return false;
	data = elf_getdata_rawchunk(obj->elf, seg->offset, seg->size, ELF_T_BYTE);
	if (data == NULL || data->d_size != seg->size)
		return false;
	*text = (struct pid_text){(const uint8_t *)data->d_buf + (addr - seg->addr), addr, size,
				  obj->bits};
	return true;
}

/* ---- slots that hold what an ifunc chooses ---- */

/* A relocation of either form; false: there is no such one. */
static bool reloc_get(Elf_Data *data, const GElf_Shdr *sh, int i, GElf_Rela *rela)
{
	GElf_Rel rel;

	if (sh->sh_type == SHT_RELA)
		return gelf_getrela(data, i, rela) != NULL;
	if (gelf_getrel(data, i, &rel) == NULL)
		return false;
	*rela = (GElf_Rela){.r_offset = rel.r_offset, .r_info = rel.r_info};
	return true;
}

static bool reloc_is_irelative(const struct pid_object *obj, uint64_t info)
{
	return GELF_R_TYPE(info) == (obj->bits == 64 ? R_X86_64_IRELATIVE : R_386_IRELATIVE);
}

/* In i386 files the addend stands in the slot itself. */
static uint64_t reloc_addend(struct pid_object *obj, const GElf_Shdr *sh, const GElf_Rela *rela)
{
	const struct dt_segment *seg;
	Elf_Data *data;
	uint32_t word;

	if (sh->sh_type == SHT_RELA)
		return rela->r_addend;
	seg = dt_segments_find(&obj->segs, false, rela->r_offset);
	if (seg == NULL)
		return 0;
	data = elf_getdata_rawchunk(obj->elf, rela->r_offset - seg->addr + seg->offset,
				    sizeof(word), ELF_T_BYTE);
	if (data == NULL)
		return 0;
	memcpy(&word, data->d_buf, sizeof(word));
	return word;
}

static bool reloc_names(struct pid_object *obj, const GElf_Shdr *sh, const GElf_Rela *rela,
			const char *name)
{
	Elf_Scn *scn = elf_getscn(obj->elf, sh->sh_link);
	Elf_Data *data = scn != NULL ? elf_getdata(scn, NULL) : NULL;
	const char *found;
	GElf_Shdr symsh;
	GElf_Sym sym;

	if (data == NULL || GELF_R_SYM(rela->r_info) == 0 || gelf_getshdr(scn, &symsh) == NULL ||
	    gelf_getsym(data, GELF_R_SYM(rela->r_info), &sym) == NULL)
		return false;
	found = elf_strptr(obj->elf, symsh.sh_link, sym.st_name);
	return found != NULL && strcmp(found, name) == 0;
}

void pid_object_slots(struct pid_object *obj, const char *name, uint64_t addr,
		      void (*func)(void *arg, uint64_t slot), void *arg)
{
	Elf_Data *data;
	GElf_Rela rela;
	GElf_Shdr sh;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(obj->elf, scn)) != NULL;) {
		if (gelf_getshdr(scn, &sh) == NULL ||
		    (sh.sh_type != SHT_RELA && sh.sh_type != SHT_REL) || sh.sh_entsize == 0)
			continue;
		data = elf_getdata(scn, NULL);
		for (size_t i = 0; data != NULL && i < sh.sh_size / sh.sh_entsize; i++)
			if (reloc_get(data, &sh, i, &rela) &&
			    (name != NULL ? reloc_names(obj, &sh, &rela, name)
					  : reloc_is_irelative(obj, rela.r_info) &&
						    reloc_addend(obj, &sh, &rela) == addr))
				func(arg, rela.r_offset);
	}
}
