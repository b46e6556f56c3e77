/* SPDX-License-Identifier: MIT */
/*
 * type.h - types of C (LP64) and D. Types live as long as the handle. Qualifiers are not kept: D
 * writes only to its own variables.
 */
#ifndef DT_TYPE_H
#define DT_TYPE_H

#include <stdbool.h>
#include <stdint.h>
#include <dtrace/dif.h>

#include "scope.h"

typedef enum dt_type_kind {
	TYPE_VOID,
	TYPE_INT,
	TYPE_FLOAT,
	TYPE_POINTER,
	TYPE_ARRAY,
	TYPE_STRUCT,
	TYPE_UNION,
	TYPE_ENUM,
	TYPE_FUNCTION,
	TYPE_TYPEDEF,
	TYPE_STRING,  /* D string */
	TYPE_STACK,   /* what stack(), ustack(), jstack() record */
	TYPE_SYMBOL,  /* what sym(), mod(), usym() ... record */
	TYPE_UNKNOWN, /* named by a probe, defined nowhere: 64 bits */
	TYPE_DYNAMIC, /* of what has no type as a whole: aggregations, assoc. arrays */
	TYPE_PENDING  /* of args[] of probes that do not exist yet, and of what they lead to */
} dt_type_kind_t;

typedef struct dt_member {
	const char *name; /* NULL: anonymous struct or union */
	const struct dt_type *type;
	uint32_t offset; /* bytes; of a bit-field: of its storage unit */
	uint8_t bits;	 /* width of a bit-field, else 0 */
	uint8_t bitoff;	 /* from the least significant bit of the unit */
	struct dt_member *next;
} dt_member_t;

typedef struct dt_param {
	const struct dt_type *type;
	struct dt_param *next;
} dt_param_t;

typedef struct dt_enumval {
	const char *name;
	int64_t value;
	struct dt_enumval *next;
} dt_enumval_t;

typedef struct dt_type {
	dt_type_kind_t kind;
	const char *name;	    /* of an integer, tag, typedef; NULL if it has none */
	uint64_t size;		    /* bytes; 0 of void, incomplete types and strings */
	uint32_t align;		    /* by type_align */
	bool is_signed;		    /* integers */
	bool complete;		    /* structs, unions and enums: defined, not only declared */
	bool begun;		    /* its definition has begun */
	bool userland;		    /* a process has it: not to be looked for in the kernel */
	bool in_process;	    /* of a pointer: it points to memory of the process */
	bool predefined;	    /* a predefined typedef, which programs may define anew */
	const struct dt_type *base; /* target, element, typedef'd type, function's result */
	uint32_t nelems;	    /* of an array */
	dt_member_t *members;	    /* by type_members: those of kernel types come late */
	dt_enumval_t *enums;	    /* of an enum, in order; by type_enums: see members */
	struct dt_ktypes *late;	    /* a kernel's type whose insides are still to be read ... */
	uint32_t late_id;	    /* ... and its number there */
	dt_param_t *params;
	bool varargs;
} dt_type_t;

/* The base types, shared by all handles. */
extern const dt_type_t type_void, type_char, type_schar, type_uchar, type_short, type_ushort,
	type_int, type_uint, type_long, type_ulong, type_llong, type_ullong, type_bool, type_float,
	type_double, type_ldouble, type_string, type_stack, type_symaddr, type_usymaddr,
	type_void_ptr, type_dynamic, type_pending;

/* Enter the typedefs that every D program knows. */
void type_declare_builtin(dt_scope_t *scope, struct arena *arena);
/* Return the base type whose name is one word, such as int; NULL if there is none. */
const dt_type_t *type_base(const char *name);
/* Return the type of a pointer to target. */
const dt_type_t *type_pointer(struct arena *arena, const dt_type_t *target);
/* Return t, or, if t is a pointer, the type of the same pointer to memory of the process. */
const dt_type_t *type_in_process(struct arena *arena, const dt_type_t *t);
/* Return the type of an array of nelems elements. */
const dt_type_t *type_array(struct arena *arena, const dt_type_t *element, uint32_t nelems);
/* Return the type of a function. params are borrowed. */
const dt_type_t *type_function(struct arena *arena, const dt_type_t *result, dt_param_t *params,
			       bool varargs);
/* Return a type of which only the text is known. */
const dt_type_t *type_unknown(struct arena *arena, const char *text);
/* Return the type behind typedefs. */
const dt_type_t *type_resolve(const dt_type_t *t);

/* Each of these functions looks at the type behind typedefs. */
/* Return whether a type is an integer, an enum, unknown or pending. */
bool type_is_integer(const dt_type_t *t);
/* Return whether a type is a pointer. */
bool type_is_pointer(const dt_type_t *t);
/* Return whether a type is a pointer to memory of the process. */
bool type_is_in_process(const dt_type_t *t);
/* Return whether a type is an integer, as type_is_integer() has it, or a pointer. */
bool type_is_scalar(const dt_type_t *t);
/* Return whether a type is a struct or a union. */
bool type_is_record(const dt_type_t *t);
/* Return whether a type is D's string. */
bool type_is_string(const dt_type_t *t);
/* Return whether a type is a string, a pointer to char, an array of char, or pending. */
bool type_is_stringlike(const dt_type_t *t);
/* Return whether a type is void. */
bool type_is_void(const dt_type_t *t);
/* Return whether a type is dynamic. */
bool type_is_dynamic(const dt_type_t *t);
/* Return whether a type is pending: it is not known yet. */
bool type_is_pending(const dt_type_t *t);
/* Return whether values of a type are handled by their address. */
bool type_is_byref(const dt_type_t *t);
/* Return whether a type is a signed integer. */
bool type_is_signed(const dt_type_t *t);
/* Return whether two types are the same behind typedefs. */
bool type_same(const dt_type_t *a, const dt_type_t *b);
/* Return whether a value of type from may be assigned to an object of type to. */
bool type_assignable(const dt_type_t *to, const dt_type_t *from);
/* Return the result of the integer promotions. */
const dt_type_t *type_promote(const dt_type_t *t);
/* Return the result of the usual arithmetic conversions. */
const dt_type_t *type_balance(const dt_type_t *a, const dt_type_t *b);
/*
 * Set *out to the member of a name, also one of an anonymous member; the offset is that in record.
 * Return false if there is none.
 */
bool type_member(const dt_type_t *record, const char *name, dt_member_t *out);
/*
 * Return the first member of a struct or union; NULL if it has none or is not complete, or, with
 * errno ENOMEM, without memory to read them.
 */
const dt_member_t *type_members(const dt_type_t *t);
/* Return the first value of an enumeration in the same way. */
const dt_enumval_t *type_enums(const dt_type_t *t);
/* Return the alignment of a type in bytes. */
uint32_t type_align(const dt_type_t *t);
/*
 * Return the bytes of an object within a struct or array; for a string, those of a string variable
 * with the default strsize.
 */
uint64_t type_storage(const dt_type_t *t);
/* Set *out to the type as the engine has it. */
void type_dif(const dt_type_t *t, dtrace_diftype_t *out);

#endif
