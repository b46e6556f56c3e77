/* SPDX-License-Identifier: MIT */
/*
 * anchor.c - the name by which sources with a header of -h ask linkers for the object of -G.
 *
 * A linker takes out of an archive what defines a symbol that somebody lacks, and a program whose
 * sites are recorded lacks none. So a header has its sources define a common symbol
 * (_DTRACE_DECLARED in sys/sdt.h): linkers prefer a definition, and look for it in archives, but do
 * without.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "anchor.h"

/* FNV-1a of the string and the zero at its end. */
static uint64_t hash_add(uint64_t hash, const char *string)
{
	do
		hash = (hash ^ (unsigned char)*string) * 0x100000001b3;
	while (*string++);
	return hash;
}

/* What sites tell without a file is left out: a header knows nothing of it. */
static uint64_t provider_hash(const struct provider *provider, uint64_t hash, bool *any)
{
	size_t i;

	hash = hash_add(hash, provider->name);
	for (i = 0; i < provider->nprobes; i++) {
		if (!provider->probes[i]->typed)
			continue;
		hash = hash_add(hash, provider->probes[i]->hyphened);
		*any = true;
	}
	return hash;
}

void anchor_add_name(const struct provider_file *file, struct bytes *text)
{
	uint64_t hash = 0xcbf29ce484222325;
	bool any = false;
	size_t i;

	for (i = 0; i < file->nproviders; i++)
		hash = provider_hash(file->providers[i], hash, &any);
	if (any)
		bytes_printf(text, "__dtrace_declared_%016" PRIx64, hash);
}

/* The group whose signature is the symbol that is added next, with the section that follows it. */
static uint32_t add_group(struct object *object)
{
	const GElf_Shdr header = {.sh_type = SHT_GROUP,
				  .sh_link = object->symtab,
				  .sh_info = object->nsymbols,
				  .sh_addralign = 4,
				  .sh_entsize = 4};
	uint32_t *data = malloc(2 * sizeof(*data));
	uint32_t group;

	if (!data)
		return 0;
	data[0] = GRP_COMDAT;
	group = object_add_section(object, ".group", &header, data, 2 * sizeof(*data));
	if (group)
		data[1] = group + 1;
	return group;
}

/* One byte in a group of its own; its section, 0: no memory. */
static uint32_t add_byte(struct object *object)
{
	const GElf_Shdr header = {
		.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_GROUP, .sh_addralign = 1};
	void *byte;

	if (!add_group(object))
		return 0;
	byte = calloc(1, 1);
	return byte ? object_add_section(object, ".rodata.dtrace_declared", &header, byte, 1) : 0;
}

int anchor_define(struct object *object, const struct provider_file *file)
{
	struct bytes name = {0};
	uint32_t section;
	int result = 0;

	anchor_add_name(file, &name);
	if (name.len) {
		section = add_byte(object);
		result = section ? object_add_global(object, name.data, STB_GLOBAL, section)
				 : diag_nomem(object->diag);
	}
	if (name.failed)
		result = diag_nomem(object->diag);
	bytes_free(&name);
	return result;
}
