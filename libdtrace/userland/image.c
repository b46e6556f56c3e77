/* SPDX-License-Identifier: MIT */
/*
 * image.c - the agent's image: an ELF file with one segment of code and one of data, and its
 * relocations.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "image.h"
#include "memfile.h"

#ifdef DTRACE_HAS_AGENT
extern const char dt_agent_elf[], dt_agent_elf_end[];
#define IMAGE_ELF      dt_agent_elf
#define IMAGE_ELF_SIZE ((size_t)(dt_agent_elf_end - dt_agent_elf))
#else
static const char no_elf[1];
#define IMAGE_ELF      no_elf
#define IMAGE_ELF_SIZE ((size_t)0)
#endif

/* The linker's output is part of this library, and is not checked. */
struct image {
	const Elf64_Phdr *code, *data;
	const Elf64_Rela *relocs;
	size_t nrelocs;
};

static const Elf64_Phdr *image_segment(const Elf64_Ehdr *elf, uint32_t type, uint32_t flag)
{
	const Elf64_Phdr *ph = (const void *)((const char *)elf + elf->e_phoff);

	for (int i = 0; i < elf->e_phnum; i++)
		if (ph[i].p_type == type && (ph[i].p_flags & flag))
			return &ph[i];
	return NULL;
}

/* Find the segments and the relocations. Return false if there is no image. */
static bool image_find(struct image *image)
{
	const Elf64_Ehdr *elf = (const void *)IMAGE_ELF;
	const Elf64_Phdr *dynamic;

	memset(image, 0, sizeof(*image));
	if (IMAGE_ELF_SIZE < sizeof(*elf))
		return false;
	image->code = image_segment(elf, PT_LOAD, PF_X);
	image->data = image_segment(elf, PT_LOAD, PF_W);
	dynamic = image_segment(elf, PT_DYNAMIC, PF_R | PF_W | PF_X);
	if (!image->code || !image->data || !dynamic)
		return false;
	for (const Elf64_Dyn *d = (const void *)(IMAGE_ELF + dynamic->p_offset);
	     d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_RELA)
			image->relocs = (const void *)(IMAGE_ELF + image->code->p_offset +
						       (d->d_un.d_ptr - image->code->p_vaddr));
		else if (d->d_tag == DT_RELASZ)
			image->nrelocs = d->d_un.d_val / sizeof(Elf64_Rela);
	}
	return true;
}

static size_t page_up(size_t n)
{
	return (n + 4095) & ~(size_t)4095;
}

bool dt_image_sizes(size_t *code, size_t *data)
{
	struct image image;

	if (!image_find(&image))
		return false;
	*code = page_up(image.code->p_memsz);
	*data = page_up(image.data->p_memsz);
	return true;
}

/*
 * Relocate one segment for an image at an address. A copy of the segment is at mem. The image
 * refers to no other object, so all relocations are relative.
 */
static void image_relocate(const struct image *image, const Elf64_Phdr *segment, char *mem,
			   uint64_t address)
{
	for (size_t i = 0; i < image->nrelocs; i++) {
		const Elf64_Rela *r = &image->relocs[i];
		uint64_t value = address + (uint64_t)r->r_addend;

		if (r->r_offset >= segment->p_vaddr &&
		    r->r_offset + sizeof(value) <= segment->p_vaddr + segment->p_filesz)
			memcpy(mem + (r->r_offset - segment->p_vaddr), &value, sizeof(value));
	}
}

int dt_image_copy(uint64_t address, void *code, struct agent_image *entries)
{
	struct image image;

	if (!image_find(&image))
		return -ENOTSUP;
	memset(code, 0, page_up(image.code->p_memsz));
	memcpy(code, IMAGE_ELF + image.code->p_offset, image.code->p_filesz);
	image_relocate(&image, image.code, code, address);
	memcpy(entries, code, sizeof(*entries));
	return 0;
}

int dt_image_code(uint64_t address, struct agent_image *entries)
{
	size_t size, data;
	char *copy;
	int fd;

	if (!dt_image_sizes(&size, &data))
		return -ENOTSUP;
	copy = malloc(size);
	if (!copy)
		return -ENOMEM;
	fd = dt_image_copy(address, copy, entries);
	if (!fd)
		fd = dt_memfile_code(DT_IMAGE_NAME, copy, size);
	free(copy);
	return fd;
}

void dt_image_data(void *region, uint64_t address)
{
	struct image image;

	if (!image_find(&image))
		return;
	memcpy(region, IMAGE_ELF + image.data->p_offset, image.data->p_filesz);
	image_relocate(&image, image.data, region, address);
}
