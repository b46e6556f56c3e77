/* SPDX-License-Identifier: MIT */
/*
 * anchor.c - the symbol by which sources with a header of -h request the object of -G from an
 * archive.
 *
 * A linker takes a member of an archive only if it defines an undefined symbol, and a program with
 * recorded sites has none. Therefore the header makes sources define a common symbol
 * (_DTRACE_DECLARED in sys/sdt.h): linkers prefer a definition to it, and look for one in archives,
 * but need none.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "anchor.h"

/* Hash the string and its NUL by FNV-1a. */
static uint64_t hash_add(uint64_t hash, const char *string)
{
	do
		hash = (hash ^ (unsigned char)*string) * 0x100000001b3;
	while (*string++);
	return hash;
}

/*
 * Hash a provider and its declared probes. Probes known only from sites are left out, because a
 * header does not know them.
 */
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

/* Add a group. Its signature is the next symbol, and its member is the next section. */
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

/* Add a section of one byte in a separate group. Return its index, or 0 if there is no memory. */
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
