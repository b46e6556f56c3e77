/* SPDX-License-Identifier: MIT */
/* object_write.c - changes the sections of a relocatable object, and writes it. */
#include <stdlib.h>
#include <string.h>
#include "object.h"

void object_set_data(struct object *object, uint32_t i, void *data, size_t size)
{
	struct object_section *section = &object->sections[i];

	if (section->owned)
		free(section->data);
	section->data = data;
	section->owned = true;
	section->header.sh_size = size;
}

/*
 * Return the offset of a name among the section names; it is appended unless they end with it.
 * Return -1 if there is no memory.
 */
static int64_t name_add(struct object *object, const char *name)
{
	struct object_section *names = &object->sections[object->names];
	size_t old = names->header.sh_size, len = strlen(name) + 1;
	char *data;

	if (old >= len && !memcmp(names->data + old - len, name, len))
		return (int64_t)(old - len);
	data = malloc(old + len);
	if (!data)
		return -1;
	memcpy(data, names->data, old);
	memcpy(data + old, name, len);
	object_set_data(object, object->names, data, old + len);
	return (int64_t)old;
}

static bool sections_reserve(struct object *object)
{
	uint32_t capacity = object->capacity * 2 + 16;
	struct object_section *sections;

	if (object->nsections < object->capacity)
		return true;
	sections = reallocarray(object->sections, capacity, sizeof(*sections));
	if (!sections)
		return false;
	object->sections = sections;
	object->capacity = capacity;
	return true;
}

uint32_t object_add_section(struct object *object, const char *name, const GElf_Shdr *header,
			    void *data, size_t size)
{
	int64_t name_at = name_add(object, name);
	struct object_section *section;

	if (name_at < 0 || !sections_reserve(object)) {
		free(data);
		return 0;
	}
	section = &object->sections[object->nsections];
	*section = (struct object_section){
		.header = *header, .name = name, .data = data, .owned = true};
	section->header.sh_name = (uint32_t)name_at;
	section->header.sh_size = size;
	return object->nsections++;
}

/*
 * Alignment of sections in the file, for programs that map it; the sections themselves may have
 * less.
 */
#define FILE_ALIGN 16

/* Write a section at or after *at in the file, and advance *at past it. */
static bool section_write(Elf *out, struct object_section *section, uint64_t *at)
{
	Elf_Scn *scn = elf_newscn(out);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;

	if (section->header.sh_addralign > 1)
		*at = (*at + FILE_ALIGN - 1) & ~(uint64_t)(FILE_ALIGN - 1);
	section->header.sh_offset = *at;
	if (section->data)
		*at += section->header.sh_size;
	if (!data || !gelf_update_shdr(scn, &section->header))
		return false;
	data->d_type = ELF_T_BYTE;
	data->d_version = EV_CURRENT;
	data->d_align = 1;
	data->d_size = section->header.sh_size;
	data->d_buf = section->data;
	return true;
}

/* Write the index of the section names, if it does not fit into the header. */
static bool names_write(struct object *object, Elf *out, GElf_Ehdr *header)
{
	Elf_Scn *scn = elf_getscn(out, 0);
	GElf_Shdr zero;

	header->e_shstrndx = object->names < SHN_LORESERVE ? (GElf_Half)object->names : SHN_XINDEX;
	if (object->names < SHN_LORESERVE)
		return true;
	if (!scn || !gelf_getshdr(scn, &zero))
		return false;
	zero.sh_link = object->names;
	return gelf_update_shdr(scn, &zero);
}

static bool header_write(struct object *object, Elf *out, uint64_t sections_at)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(out, &header))
		return false;
	memcpy(header.e_ident, object->header.e_ident, EI_NIDENT);
	header.e_type = object->header.e_type;
	header.e_machine = object->header.e_machine;
	header.e_version = object->header.e_version;
	header.e_flags = object->header.e_flags;
	header.e_shoff = (sections_at + 7) & ~7ULL;
	return names_write(object, out, &header) && gelf_update_ehdr(out, &header);
}

int object_write(struct object *object, int fd, const char *path)
{
	Elf *out = elf_begin(fd, ELF_C_WRITE, NULL);
	bool good = out && gelf_newehdr(out, object->model == 64 ? ELFCLASS64 : ELFCLASS32);
	uint64_t at = object->model == 64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	uint32_t i;

	if (good)
		elf_flagelf(out, ELF_C_SET, ELF_F_LAYOUT);
	for (i = 1; good && i < object->nsections; i++)
		good = section_write(out, &object->sections[i], &at);
	good = good && header_write(object, out, at) && elf_update(out, ELF_C_WRITE) >= 0;
	if (!good)
		diag_error(object->diag, "cannot write %s: %s", path, elf_errmsg(-1));
	elf_end(out);
	return good ? 0 : -1;
}
