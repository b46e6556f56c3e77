/* SPDX-License-Identifier: MIT */
/* document_value.c - values in structured output: numbers, strings, bytes, addresses, stacks. */
#include <inttypes.h>
#include <string.h>
#include "document.h"

/* The kinds of values in structured output. */
enum value_kind { VALUE_STRING, VALUE_SIGNED, VALUE_UNSIGNED, VALUE_FLOAT, VALUE_BYTES };

static bool value_is_float(const struct dt_arg *arg)
{
	size_t size = arg->rec->dtrd_size;

	return arg->type && (size == sizeof(float) || size == sizeof(double)) &&
	       type_resolve(arg->type)->kind == TYPE_FLOAT;
}

/*
 * Return the kind as which dt_value_print() prints an argument. Set *len to the bytes of a string.
 */
static enum value_kind value_kind(dtrace_hdl_t *dtp, const struct dt_arg *arg, size_t *len)
{
	bool raw = dt_option(dtp, DTRACEOPT_RAWBYTES) == 1;
	size_t size = arg->rec->dtrd_size;

	*len = strnlen(arg->data, size);
	if (arg->rtype && arg->rtype->dtdt_kind == DIF_TYPE_STRING && !raw)
		return VALUE_STRING;
	if (value_is_float(arg))
		return VALUE_FLOAT;
	if ((size == 1 || size == 2 || size == 4 || size == 8) &&
	    (!arg->rtype || !(arg->rtype->dtdt_flags & DIF_TF_BYREF)))
		return !arg->type || dt_type_signed(arg->type) ? VALUE_SIGNED : VALUE_UNSIGNED;
	if (raw || (arg->type && type_is_record(arg->type)))
		return VALUE_BYTES;
	return dt_value_text(arg->data, size, len) ? VALUE_STRING : VALUE_BYTES;
}

static double value_float(const struct dt_arg *arg)
{
	double d;
	float f;

	if (arg->rec->dtrd_size == sizeof(f)) {
		memcpy(&f, arg->data, sizeof(f));
		return f;
	}
	memcpy(&d, arg->data, sizeof(d));
	return d;
}

static void value_plain(dtrace_hdl_t *dtp, struct dt_writer *w, const char *name,
			const struct dt_arg *arg)
{
	size_t size = arg->rec->dtrd_size, len;

	switch (value_kind(dtp, arg, &len)) {
	case VALUE_STRING:
		dt_writer_string(w, name, arg->data, len);
		return;
	case VALUE_SIGNED:
		dt_writer_int(w, name, dt_value_load(arg->data, size, true));
		return;
	case VALUE_UNSIGNED:
		dt_writer_uint(w, name, dt_value_load(arg->data, size, false));
		return;
	case VALUE_FLOAT:
		dt_writer_double(w, name, value_float(arg));
		return;
	case VALUE_BYTES:
		dt_writer_hex(w, name, arg->data, size);
	}
}

/* ---- addresses ---- */

static void address_offset(struct dt_writer *w, uint64_t off)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, off);
	dt_writer_cstring(w, "offset", text);
}

/* The parts of an address, each with those before it. */
enum parts { PARTS_MODULE, PARTS_NAME, PARTS_OFFSET };

/*
 * Return the parts in the text of a kind: a key of an aggregation stands for each address with it.
 */
static enum parts address_parts(dtrace_actkind_t kind)
{
	if (kind == DTRACEACT_MOD || kind == DTRACEACT_UMOD)
		return PARTS_MODULE;
	return kind == DTRACEACT_SYM || kind == DTRACEACT_USYM ? PARTS_NAME : PARTS_OFFSET;
}

/*
 * Write the members of a frame or an address: the text as printed, and its parts if they are known.
 */
static void address_members(dtrace_hdl_t *dtp, struct dt_writer *w, bool user, uint64_t pid,
			    uint64_t addr, enum parts parts, const char *text)
{
	const char *module = NULL, *name = NULL;
	uint64_t off = 0;
	bool known = user ? dt_user_symbol(dtp, pid, addr, &module, &name, &off)
			  : dt_kernel_symbol(dtp, addr, &module, &name, &off);

	dt_writer_cstring(w, "symbol", text);
	if (!known || !module)
		return;
	dt_writer_cstring(w, "module", module);
	if (!name || parts == PARTS_MODULE)
		return;
	dt_writer_cstring(w, "name", name);
	if (parts == PARTS_OFFSET)
		address_offset(w, off);
}

static void address_value(dtrace_hdl_t *dtp, struct dt_writer *w, const struct dt_arg *arg)
{
	dtrace_actkind_t kind = arg->rec->dtrd_action;
	char text[DTRACE_FULLNAMELEN];
	uint64_t word[2] = {0, 0};
	bool user = kind != DTRACEACT_SYM && kind != DTRACEACT_MOD;

	if (arg->rec->dtrd_size < (user ? 2 : 1) * sizeof(word[0]))
		return;
	memcpy(word, arg->data, (user ? 2 : 1) * sizeof(word[0]));
	dt_symbol_text(dtp, kind, arg->data, text, sizeof(text));
	address_members(dtp, w, user, word[0], user ? word[1] : word[0], address_parts(kind), text);
}

/* ---- stacks ---- */

struct frames {
	dtrace_hdl_t *dtp;
	struct dt_writer *w;
};

/* Write the members of an inlined function, which has no address of its own. */
static void inlined_members(dtrace_hdl_t *dtp, struct dt_writer *w, const struct dt_frame *frame)
{
	const char *module = NULL, *name = NULL;
	char text[DTRACE_FULLNAMELEN];
	uint64_t off = 0;

	dt_writer_cstring(w, "symbol", dt_frame_text(dtp, frame, text, sizeof(text)));
	if (dt_user_symbol(dtp, frame->pid, frame->addr, &module, &name, &off) && module)
		dt_writer_cstring(w, "module", module);
	dt_writer_cstring(w, "inlined", frame->line->inlined);
}

static void frame_write(const struct dt_frame *frame, void *arg)
{
	char text[DTRACE_FULLNAMELEN];
	struct frames *fr = arg;

	dt_writer_object(fr->w, NULL);
	if (frame->name)
		dt_writer_cstring(fr->w, "symbol", frame->name);
	else if (frame->line && frame->line->inlined)
		inlined_members(fr->dtp, fr->w, frame);
	else
		address_members(fr->dtp, fr->w, frame->user, frame->pid, frame->addr, PARTS_OFFSET,
				dt_frame_text(fr->dtp, frame, text, sizeof(text)));
	if (frame->note)
		dt_writer_cstring(fr->w, "note", frame->note);
	if (frame->line)
		dt_writer_cstring(fr->w, "source", dt_line_text(frame->line, text, sizeof(text)));
	dt_writer_end(fr->w);
}

static void stack_value(dtrace_hdl_t *dtp, struct dt_writer *w, const struct dt_arg *arg)
{
	bool user = arg->rec->dtrd_action != DTRACEACT_STACK;
	struct frames fr = {dtp, w};

	dt_writer_list(w, user ? "ustack-frames" : "stack-frames");
	dt_frames_walk(dtp, arg->rec, arg->data, frame_write, &fr);
	dt_writer_end(w);
}

/* ---- all of them ---- */

static bool value_is_stack(const struct dt_arg *arg)
{
	dtrace_actkind_t kind = arg->rec->dtrd_action;

	return kind == DTRACEACT_STACK || kind == DTRACEACT_USTACK || kind == DTRACEACT_JSTACK;
}

static bool value_is_address(const struct dt_arg *arg)
{
	dtrace_actkind_t kind = arg->rec->dtrd_action;

	return kind == DTRACEACT_SYM || kind == DTRACEACT_MOD ||
	       (kind >= DTRACEACT_USYM && kind <= DTRACEACT_UADDR);
}

static void value_object(dtrace_hdl_t *dtp, struct dt_writer *w, const char *name,
			 const struct dt_arg *arg)
{
	dt_writer_object(w, name);
	if (value_is_stack(arg))
		stack_value(dtp, w, arg);
	else if (value_is_address(arg))
		address_value(dtp, w, arg);
	else
		value_plain(dtp, w, "value", arg);
	dt_writer_end(w);
}

void dt_document_value(dtrace_hdl_t *dtp, struct dt_writer *w, const char *name,
		       const struct dt_arg *arg)
{
	if (value_is_stack(arg) || value_is_address(arg))
		value_object(dtp, w, name, arg);
	else
		value_plain(dtp, w, name, arg);
}

void dt_document_part(dtrace_hdl_t *dtp, struct dt_writer *w, const struct dt_arg *arg)
{
	value_object(dtp, w, NULL, arg);
}
