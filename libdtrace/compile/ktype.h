/* SPDX-License-Identifier: MIT */
/*
 * ktype.h - types of a kernel or of a module, from its BTF. A type is converted when it is first
 * needed, and the members of a struct, union or enumeration when they are needed.
 */
#ifndef DT_KTYPE_H
#define DT_KTYPE_H

#include "../spell.h"
#include "../arena.h"
#include "type.h"

typedef struct dt_ktypes dt_ktypes_t;

/* The classes of names. */
typedef enum dt_ktype_class {
	KTYPE_NAME, /* a typedef, or an integer type of the compiler's */
	KTYPE_STRUCT,
	KTYPE_UNION,
	KTYPE_ENUM, /* a tag */
	KTYPE_VARIABLE,
	KTYPE_FUNCTION /* an object: its type */
} dt_ktype_class_t;

/*
 * ktypes_open - read the BTF in the file path, raw or as a section of an ELF object. base: what the
 * types of a module build on, or NULL; it must live as long. Converted types go to the arena. NULL
 * with errno.
 */
dt_ktypes_t *ktypes_open(struct arena *arena, const char *path, dt_ktypes_t *base);
/*
 * ktypes_close - free what was read. Converted types whose members have not been looked at have
 * none then.
 */
void ktypes_close(dt_ktypes_t *k);
/*
 * ktypes_find - return the type with, or of, that name; NULL if there is none. The types of the
 * base are not searched.
 */
const dt_type_t *ktypes_find(dt_ktypes_t *k, dt_ktype_class_t class, const char *name);
/*
 * ktypes_function - return the type of the function of that name; NULL if there is none, or if
 * there are several of different types.
 */
const dt_type_t *ktypes_function(dt_ktypes_t *k, const char *name);
/* ktypes_spell - try all names of a class. */
void ktypes_spell(dt_ktypes_t *k, dt_ktype_class_t class, dt_spell_t *n);
/*
 * ktypes_enumerator - return whether there is an enumerator of that name. Set *value, and *type to
 * its enumeration.
 */
bool ktypes_enumerator(dt_ktypes_t *k, const char *name, int64_t *value, const dt_type_t **type);
/*
 * ktype_complete - read the insides of a type that has t->late set. If there is no memory, end the
 * compilation; outside of one, leave the type as it is, with errno ENOMEM.
 */
void ktype_complete(dt_type_t *t);

#endif
