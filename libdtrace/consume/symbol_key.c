/* SPDX-License-Identifier: MIT */
/*
 * symbol_key.c - keys of aggregations that stand for a function or a module. The engine records
 * each address in it as a key of its own. Here they become the first key with the same name, so
 * that values are aggregated by name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "consume.h"

#define NBUCKETS 1024
#define MAXWORDS 2 /* of a key: a process, an address */

/* A name and the key that stands for it. */
struct symbol_key {
	struct symbol_key *next;
	dtrace_actkind_t kind;
	uint64_t words[MAXWORDS];
	char name[];
};

struct dt_symbol_keys {
	struct symbol_key *buckets[NBUCKETS];
};

static bool is_symbol(const dtrace_recdesc_t *rec)
{
	switch (rec->dtrd_action) {
	case DTRACEACT_SYM:
	case DTRACEACT_MOD:
		return rec->dtrd_size == sizeof(uint64_t);
	case DTRACEACT_USYM:
	case DTRACEACT_UMOD:
		return rec->dtrd_size == 2 * sizeof(uint64_t);
	default:
		return false;
	}
}

bool dt_symbol_keys_needed(const dt_aggid_t *id)
{
	for (uint32_t i = 0; i + 1 < id->desc.dtagd_nrecs; i++)
		if (is_symbol(&id->recs[i]))
			return true;
	return false;
}

static size_t name_bucket(const char *name)
{
	uint32_t h = 2166136261U;

	for (; *name != '\0'; name++)
		h = (h ^ (unsigned char)*name) * 16777619U;
	return h % NBUCKETS;
}

/*
 * Return the key that stands for a name. If there is none yet, it is p, of size bytes. NULL without
 * memory.
 */
static const struct symbol_key *key_find(struct dt_symbol_keys *keys, dtrace_actkind_t kind,
					 const char *name, const void *p, size_t size)
{
	struct symbol_key **bucket = &keys->buckets[name_bucket(name)], *key;

	for (key = *bucket; key; key = key->next)
		if (key->kind == kind && strcmp(key->name, name) == 0)
			return key;
	key = malloc(sizeof(*key) + strlen(name) + 1);
	if (!key)
		return NULL;
	key->kind = kind;
	memcpy(key->words, p, size);
	strcpy(key->name, name);
	key->next = *bucket;
	*bucket = key;
	return key;
}

/* Make the key of a function its first address. */
static void key_begin(char *p, size_t size, uint64_t off)
{
	uint64_t addr;

	memcpy(&addr, p + size - sizeof(addr), sizeof(addr));
	addr -= off;
	memcpy(p + size - sizeof(addr), &addr, sizeof(addr));
}

/*
 * Return whether a key of a process is address 0, which has no name in any process. profile has it
 * for the user's code while a thread is in the kernel.
 */
static bool key_is_null(const char *p, size_t size)
{
	uint64_t words[MAXWORDS];

	if (size != sizeof(words))
		return false;
	memcpy(words, p, size);
	return words[1] == 0;
}

int dt_symbol_keys_merge(dtrace_hdl_t *dtp, struct dt_symbol_keys **keys, const dt_aggid_t *id,
			 char *entry)
{
	char name[DTRACE_FULLNAMELEN];
	uint64_t off;

	if (!*keys)
		*keys = calloc(1, sizeof(**keys));
	if (!*keys)
		return dt_set_errno(dtp, ENOMEM);
	for (uint32_t i = 0; i + 1 < id->desc.dtagd_nrecs; i++) {
		const dtrace_recdesc_t *rec = &id->recs[i];
		char *p = entry + rec->dtrd_offset;
		const struct symbol_key *key;

		if (!is_symbol(rec))
			continue;
		if (key_is_null(p, rec->dtrd_size)) {
			strcpy(name, "0x0");
			off = 0;
		} else if (!dt_symbol_name(dtp, rec->dtrd_action, p, name, sizeof(name), &off)) {
			continue;
		}
		key_begin(p, rec->dtrd_size, off);
		key = key_find(*keys, rec->dtrd_action, name, p, rec->dtrd_size);
		if (!key)
			return dt_set_errno(dtp, ENOMEM);
		memcpy(p, key->words, rec->dtrd_size);
	}
	return 0;
}

void dt_symbol_keys_fini(struct dt_symbol_keys *keys)
{
	struct symbol_key *next;

	if (!keys)
		return;
	for (size_t i = 0; i < NBUCKETS; i++)
		for (struct symbol_key *key = keys->buckets[i]; key; key = next) {
			next = key->next;
			free(key);
		}
	free(keys);
}
