/* SPDX-License-Identifier: MIT */
/* stack.c - stacks and single addresses, with the names of their functions and files. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "consume.h"

#define STACKINDENT 14	/* columns before a frame unless stackindent says otherwise */
#define HIDDEN	    '@' /* begins an annotation of a frame rather than its name */

int dt_indent(dtrace_hdl_t *dtp)
{
	dtrace_optval_t val = dt_option(dtp, DTRACEOPT_STACKINDENT);

	return val == DTRACEOPT_UNSET ? STACKINDENT : val > 1024 ? 1024 : (int)val;
}

/* The symbol at an address. */
struct symbol {
	const char *module, *name; /* NULL: not known */
	uint64_t addr, off;
};

/* The parts of a symbol in output. */
enum symbol_form { FORM_FULL, FORM_NAME, FORM_MODULE };

/*
 * Write a symbol as text, with the address instead of parts that are unknown. Names come from the
 * files of a process. Return text.
 */
static char *symbol_text(const struct symbol *sym, enum symbol_form form, char *text, size_t len)
{
	if (!sym->module)
		snprintf(text, len, "0x%" PRIx64, sym->addr);
	else if (form == FORM_MODULE)
		snprintf(text, len, "%s", sym->module);
	else if (!sym->name)
		snprintf(text, len, "%s`0x%" PRIx64, sym->module, sym->addr);
	else if (form == FORM_NAME || sym->off == 0)
		snprintf(text, len, "%s`%s", sym->module, sym->name);
	else
		snprintf(text, len, "%s`%s+0x%" PRIx64, sym->module, sym->name, sym->off);
	return dt_clean(text);
}

/* Return whether option stacksymbols asks for symbols. */
static bool symbols_wanted(dtrace_hdl_t *dtp)
{
	return dt_option(dtp, DTRACEOPT_STACKSYMBOLS) != 0;
}

/* Look up an address of the kernel. Without a symbol, only the address is set. */
static struct symbol kernel_symbol(dtrace_hdl_t *dtp, uint64_t addr)
{
	struct symbol sym = {.addr = addr};

	if (!symbols_wanted(dtp) || !dt_kernel_symbol(dtp, addr, &sym.module, &sym.name, &sym.off))
		return (struct symbol){.addr = addr};
	return sym;
}

/* Look up an address of a process. Without a symbol, only the address is set. */
static struct symbol user_symbol(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr)
{
	struct symbol sym = {.addr = addr};

	if (!symbols_wanted(dtp) ||
	    !dt_user_symbol(dtp, pid, addr, &sym.module, &sym.name, &sym.off))
		return (struct symbol){.addr = addr};
	return sym;
}

char *dtrace_addr2str(dtrace_hdl_t *dtp, uint64_t addr, char *text, size_t len)
{
	struct symbol sym = kernel_symbol(dtp, addr);

	return symbol_text(&sym, FORM_FULL, text, len);
}

char *dtrace_uaddr2str(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr, char *text, size_t len)
{
	struct symbol sym = user_symbol(dtp, pid, addr);

	return symbol_text(&sym, FORM_FULL, text, len);
}

/* Return word i of unaligned data. */
static uint64_t word(const void *p, size_t i)
{
	uint64_t w;

	memcpy(&w, (const char *)p + i * sizeof(w), sizeof(w));
	return w;
}

/* Look up what sym(), mod(), usym(), umod() or uaddr() has recorded. */
static struct symbol record_symbol(dtrace_hdl_t *dtp, dtrace_actkind_t kind, const void *p)
{
	return kind == DTRACEACT_SYM || kind == DTRACEACT_MOD
		       ? kernel_symbol(dtp, word(p, 0))
		       : user_symbol(dtp, word(p, 0), word(p, 1));
}

/* Return what the text of such an action consists of. */
static enum symbol_form record_form(dtrace_actkind_t kind)
{
	switch (kind) {
	case DTRACEACT_SYM:
	case DTRACEACT_USYM:
		return FORM_NAME;
	case DTRACEACT_MOD:
	case DTRACEACT_UMOD:
		return FORM_MODULE;
	default:
		return FORM_FULL;
	}
}

void dt_symbol_text(dtrace_hdl_t *dtp, dtrace_actkind_t kind, const void *p, char *buf, size_t len)
{
	struct symbol sym = record_symbol(dtp, kind, p);

	symbol_text(&sym, record_form(kind), buf, len);
}

bool dt_symbol_name(dtrace_hdl_t *dtp, dtrace_actkind_t kind, const void *p, char *buf, size_t len,
		    uint64_t *off)
{
	struct symbol sym = record_symbol(dtp, kind, p);
	enum symbol_form form = record_form(kind);

	if (!sym.module || (!sym.name && form != FORM_MODULE))
		return false;
	*off = form == FORM_NAME ? sym.off : 0;
	symbol_text(&sym, form, buf, len);
	return true;
}

/* Return the next text in the string area, in which texts follow each other, or NULL at its end. */
static const char *frame_name(const char **strs, size_t *left)
{
	const char *name = *strs;
	size_t len;

	if (*left == 0)
		return NULL;
	len = strnlen(name, *left);
	if (len == *left)
		return NULL;
	*strs += len + 1;
	*left -= len + 1;
	return name;
}

char *dt_line_text(const struct dt_line *line, char *text, size_t len)
{
	snprintf(text, len, "%s:%d", line->file, line->number);
	return dt_clean(text);
}

/* Write the text of a frame that stands for an inlined function. Return text. */
static char *inlined_text(dtrace_hdl_t *dtp, const struct dt_frame *frame, char *text, size_t len)
{
	const char *object = NULL, *name = NULL;
	uint64_t off = 0;

	dt_user_symbol(dtp, frame->pid, frame->addr, &object, &name, &off);
	snprintf(text, len, "%s`%s [inlined]", object ? object : "?", frame->line->inlined);
	return dt_clean(text);
}

char *dt_frame_text(dtrace_hdl_t *dtp, const struct dt_frame *frame, char *text, size_t len)
{
	if (frame->line && frame->line->inlined)
		return inlined_text(dtp, frame, text, len);
	return frame->user ? dtrace_uaddr2str(dtp, frame->pid, frame->addr, text, len)
			   : dtrace_addr2str(dtp, frame->addr, text, len);
}

/* Call func for each frame of a kernel stack; a 0 ends it. */
static void stack_walk(const void *p, size_t size, dt_frame_f *func, void *ctx)
{
	for (size_t i = 0; i < size / sizeof(uint64_t) && word(p, i) != 0; i++)
		func(&(struct dt_frame){.addr = word(p, i)}, ctx);
}

/*
 * Copy the line at *text to the buffer, cut to its size. *text moves behind the line, or becomes
 * NULL.
 */
static char *frame_line(const char **text, char *line, size_t len)
{
	size_t n = strcspn(*text, "\n");

	snprintf(line, len, "%.*s", (int)n, *text);
	*text = (*text)[n] != '\0' ? *text + n + 1 : NULL;
	return dt_clean(line);
}

/*
 * Add the frames of a helper's string: a name, a note behind HIDDEN, or lines of them. Each line is
 * a frame, or a note to the previous frame. Return the number of frames, at most max.
 */
static size_t frame_lines(struct dt_frame *frame, const char *text, size_t max, dt_frame_f *func,
			  void *ctx)
{
	char name[DTRACE_UHELP_STRSIZE], note[DTRACE_UHELP_STRSIZE];
	bool first = true;
	size_t n = 0;

	while (n < max && (first || text)) {
		frame->name = frame->note = NULL;
		if (text && *text != HIDDEN)
			frame->name = frame_line(&text, name, sizeof(name));
		if (text && *text == HIDDEN)
			frame->note = frame_line(&text, note, sizeof(note)) + 1;
		if (frame->name && *frame->name == '\0')
			frame->name = NULL;
		if (first || frame->name) {
			func(frame, ctx);
			n++;
		}
		first = false;
	}
	return n;
}

/* A frame with its lines, or without. */
struct frame_lines_told {
	struct dt_frame *frame;
	dt_frame_f *func;
	void *ctx;
};

/* Tell of a frame once more for a source line of it, which may be of an inlined function. */
static void frame_line_tell(const struct dt_line *line, void *arg)
{
	struct frame_lines_told *told = arg;

	told->frame->line = line;
	told->func(told->frame, told->ctx);
}

/*
 * Pass on a frame that no helper has named, with its lines. A return address may already belong to
 * the next line.
 */
static void frame_tell(dtrace_hdl_t *dtp, struct dt_frame *frame, dt_frame_f *func, void *ctx)
{
	struct frame_lines_told told = {frame, func, ctx};
	dtrace_optval_t lines = dt_option(dtp, DTRACEOPT_STACKLINES);

	if (lines == DTRACEOPT_UNSET || lines == 0 || !symbols_wanted(dtp) ||
	    !dt_user_lines(dtp, frame->pid, frame->addr - frame->is_return, frame_line_tell, &told))
		func(frame, ctx);
}

/*
 * Call func for each frame of a process's stack: with the names that a helper has given, or with
 * source lines, or alone. arg: the sizes that the action was given.
 */
static void ustack_walk(dtrace_hdl_t *dtp, const void *p, size_t size, uint64_t arg,
			dt_frame_f *func, void *ctx)
{
	size_t words = size / sizeof(uint64_t), frames = DTRACE_USTACK_NFRAMES(arg), left;
	size_t shown = 0;
	const char *strs;

	if (frames == 0 || frames + 1 > words)
		frames = words > 0 ? words - 1 : 0;
	strs = (const char *)p + (frames + 1) * sizeof(uint64_t);
	left = DTRACE_USTACK_STRSIZE(arg) != 0 && size > (frames + 1) * sizeof(uint64_t)
		       ? size - (frames + 1) * sizeof(uint64_t)
		       : 0;
	for (size_t i = 1; i <= frames && shown < frames && word(p, i) != 0; i++) {
		struct dt_frame frame = {
			.user = true, .pid = word(p, 0), .addr = word(p, i), .is_return = i > 1};
		const char *name = frame_name(&strs, &left);

		if (name && *name != '\0') {
			shown += frame_lines(&frame, name, frames - shown, func, ctx);
			continue;
		}
		frame_tell(dtp, &frame, func, ctx);
		shown++;
	}
}

void dt_frames_walk(dtrace_hdl_t *dtp, const dtrace_recdesc_t *rec, const void *p, dt_frame_f *func,
		    void *ctx)
{
	if (rec->dtrd_action == DTRACEACT_STACK)
		stack_walk(p, rec->dtrd_size, func, ctx);
	else
		ustack_walk(dtp, p, rec->dtrd_size, rec->dtrd_arg, func, ctx);
}

/* The destination of frames. */
struct frame_print {
	dtrace_hdl_t *dtp;
	FILE *fp;
	int indent, width;
};

/* Write the text of a frame, with its line if that is known. */
static void frame_full_text(dtrace_hdl_t *dtp, const struct dt_frame *frame, char *text, size_t len)
{
	size_t n;

	dt_frame_text(dtp, frame, text, len);
	n = strlen(text);
	if (frame->line && n < len)
		snprintf(text + n, len - n, " (%s:%d)", frame->line->file, frame->line->number);
	dt_clean(text);
}

/* Print a frame, and below it the note of a helper. A dt_frame_f. */
static void frame_print(const struct dt_frame *frame, void *ctx)
{
	char text[DTRACE_FULLNAMELEN];
	struct frame_print *fr = ctx;

	if (!frame->name)
		frame_full_text(fr->dtp, frame, text, sizeof(text));
	fprintf(fr->fp, "%*s%*s\n", fr->indent, "", fr->width, frame->name ? frame->name : text);
	if (!frame->note)
		return;
	snprintf(text, sizeof(text), "  [ %s ]", frame->note);
	fprintf(fr->fp, "%*s%*s\n", fr->indent, "", fr->width, text);
}

void dt_frames_print(dtrace_hdl_t *dtp, FILE *fp, const dtrace_recdesc_t *rec, const void *p,
		     int indent, int width)
{
	struct frame_print fr = {dtp, fp, indent, width};

	dt_frames_walk(dtp, rec, p, frame_print, &fr);
}
