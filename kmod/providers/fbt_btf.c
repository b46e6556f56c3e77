// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fbt_btf.c - widths of the values that functions return, from the kernel's BTF. A register is
 * wider than an int, and its upper half is undefined. The numbers of types and the offsets of names
 * in the BTF of a module go on behind those of the kernel's.
 */
#include <linux/btf.h>
#include <linux/kernfs.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "fbt_btf.h"

#define BTF_DEPTH 32 /* names and qualifiers on top of a type */

struct btf_reader {
	const u8 *types, *types_end;
	const char *strings;
	u32 strings_size;
	const struct btf_type **by_id;
	u32 n;			       /* types are 1 .. n, or follow those of base */
	const struct btf_reader *base; /* or NULL */
};

/* Return the size of a type in the table in bytes, 0 if its kind is not known. */
static size_t btf_type_bytes(const struct btf_type *t)
{
	size_t n = btf_type_vlen(t);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
		return sizeof(*t) + sizeof(u32);
	case BTF_KIND_ARRAY:
		return sizeof(*t) + sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return sizeof(*t) + n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return sizeof(*t) + n * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return sizeof(*t) + n * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return sizeof(*t) + n * sizeof(struct btf_param);
	case BTF_KIND_VAR:
		return sizeof(*t) + sizeof(struct btf_var);
	case BTF_KIND_DATASEC:
		return sizeof(*t) + n * sizeof(struct btf_var_secinfo);
	case BTF_KIND_DECL_TAG:
		return sizeof(*t) + sizeof(struct btf_decl_tag);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return sizeof(*t);
	default:
		return 0;
	}
}

static int btf_reader_begin(struct btf_reader *v, const struct fbt_btf *btf)
{
	const struct btf_header *h = btf->data;
	const void *data = btf->data;
	size_t size = btf->size;

	if (size < sizeof(*h) || h->magic != BTF_MAGIC || h->version != BTF_VERSION ||
	    h->hdr_len > size || h->type_off > size - h->hdr_len ||
	    h->type_len > size - h->hdr_len - h->type_off || h->str_off > size - h->hdr_len ||
	    h->str_len > size - h->hdr_len - h->str_off || !h->str_len)
		return -EINVAL;
	v->types = (const u8 *)data + h->hdr_len + h->type_off;
	v->types_end = v->types + h->type_len;
	v->strings = (const char *)data + h->hdr_len + h->str_off;
	v->strings_size = h->str_len;
	return v->strings[h->str_len - 1] ? -EINVAL : 0;
}

/* Go through the types: count them, and note where each is if there is a table for that. */
static int btf_reader_number(struct btf_reader *v)
{
	const u8 *at = v->types;
	size_t bytes;

	for (v->n = 0; at < v->types_end; at += bytes) {
		const struct btf_type *t = (const void *)at;

		if (v->types_end - at < (ptrdiff_t)sizeof(*t))
			return -EINVAL;
		bytes = btf_type_bytes(t);
		if (!bytes || (size_t)(v->types_end - at) < bytes)
			return -EINVAL;
		v->n++;
		if (v->by_id)
			v->by_id[v->n - 1] = t;
		if (v->n % 4096 == 0)
			cond_resched();
	}
	return 0;
}

/* Find the types. The caller frees by_id, also after an error. */
static int btf_reader_open(struct btf_reader *v, const struct fbt_btf *btf)
{
	int error = btf_reader_begin(v, btf);

	if (!error)
		error = btf_reader_number(v);
	if (error)
		return error;
	v->by_id = kvmalloc_array(v->n + 1, sizeof(*v->by_id), GFP_KERNEL_ACCOUNT);
	return v->by_id ? btf_reader_number(v) : -ENOMEM;
}

static const struct btf_type *btf_reader_type(const struct btf_reader *v, u32 id)
{
	u32 before = v->base ? v->base->n : 0;

	if (id && id <= before)
		return v->base->by_id[id - 1];
	return id > before && id - before <= v->n ? v->by_id[id - before - 1] : NULL;
}

static const char *btf_reader_name(const struct btf_reader *v, u32 offset)
{
	u32 before = v->base ? v->base->strings_size : 0;

	if (offset < before)
		return v->base->strings + offset;
	return offset - before < v->strings_size ? v->strings + (offset - before) : NULL;
}

static struct fbt_width btf_reader_width(const struct btf_reader *v, u32 id)
{
	const struct btf_type *t = btf_reader_type(v, id);
	unsigned int depth;

	for (depth = 0; t && depth < BTF_DEPTH; depth++) {
		switch (BTF_INFO_KIND(t->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			t = btf_reader_type(v, t->type);
			continue;
		case BTF_KIND_INT:
			if (t->size < sizeof(u64))
				return (struct fbt_width){(u8)t->size,
							  BTF_INT_ENCODING(*(const u32 *)(t + 1)) &
								  BTF_INT_SIGNED};
			break;
		case BTF_KIND_ENUM:
			/*
			 * encoders of old did not say whether it is signed: errors are, in the
			 * kernel
			 */
			if (t->size < sizeof(u64))
				return (struct fbt_width){(u8)t->size, true};
			break;
		}
		break;
	}
	return (struct fbt_width){0};
}

/*
 * The kernel frees the section of a module that has been loaded. Its own copy is the content of
 * /sys/kernel/btf/MODULE, which is there until the module goes.
 */
void fbt_btf_copy(struct fbt_btf *btf, const char *module)
{
	struct kernfs_node *folder = kernfs_find_and_get(kernel_kobj->sd, "btf");
	struct kernfs_node *file = folder ? kernfs_find_and_get(folder, module) : NULL;
	struct bin_attribute *attr = file ? file->priv : NULL;
	void *data = NULL;
	ssize_t n = 0;

	if (attr && attr->read)
		data = kvmalloc(attr->size, GFP_KERNEL_ACCOUNT);
	if (data)
		n = attr->read(NULL, kernel_kobj, attr, data, 0, attr->size);
	if (n > 0) {
		*btf = (struct fbt_btf){data, (size_t)n};
		data = NULL;
	}
	kvfree(data);
	kernfs_put(file);
	kernfs_put(folder);
}

int fbt_btf_returns(const struct fbt_btf *btf, const struct fbt_btf *base,
		    void (*tell)(void *arg, const char *name, struct fbt_width width), void *arg)
{
	struct btf_reader below = {0}, v = {.base = base ? &below : NULL};
	int error = base ? btf_reader_open(&below, base) : 0;
	u32 i;

	if (!error)
		error = btf_reader_open(&v, btf);
	for (i = 0; !error && i < v.n; i++) {
		const struct btf_type *t = v.by_id[i], *prototype;
		const char *name = btf_reader_name(&v, t->name_off);

		if (i % 4096 == 0)
			cond_resched();
		if (BTF_INFO_KIND(t->info) != BTF_KIND_FUNC || !name)
			continue;
		prototype = btf_reader_type(&v, t->type);
		if (prototype && BTF_INFO_KIND(prototype->info) == BTF_KIND_FUNC_PROTO)
			tell(arg, name, btf_reader_width(&v, prototype->type));
	}
	kvfree(v.by_id);
	kvfree(below.by_id);
	return error;
}
