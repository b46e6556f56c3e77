/* SPDX-License-Identifier: MIT */
/*
 * insn.c - the instructions of a function. libopcodes tells how long each is. Its bytes tell
 * whether it leaves the function.
 *
 * A breakpoint within an instruction would change its meaning. So the code is probed only if all of
 * it can be read, and no jump of its own leads into the middle of an instruction.
 */
#define PACKAGE "dtrace" /* bfd.h requires config.h */
#include <dis-asm.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dtrace/uprobe.h>
#include "../list.h"
#include "insn.h"

#define INSN_TEXT 128
#define HEAD	  48 /* bytes of a function that decide on its first instruction */
#define LOOKBACK  12 /* instructions searched for the source of a jump's target */

/* ---- libopcodes ---- */

struct printer {
	disassemble_info info;
	disassembler_ftype print;
	char text[INSN_TEXT];
	size_t len;
	bool cut; /* the instruction has bytes behind the text */
};

/* Append text that libopcodes prints. Return its length. */
static int printer_add(struct printer *pr, const char *format, va_list ap)
{
	int n = vsnprintf(pr->text + pr->len, sizeof(pr->text) - pr->len, format, ap);

	if (n > 0)
		pr->len += (size_t)n < sizeof(pr->text) - pr->len ? (size_t)n
								  : sizeof(pr->text) - pr->len - 1;
	return n;
}

/* Append text: the function for plain text that libopcodes requires. */
static int printer_plain(void *stream, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = printer_add(stream, format, ap);
	va_end(ap);
	return n;
}

/* Append text: the function for styled text. The style is ignored. */
static int printer_styled(void *stream, enum disassembler_style style, const char *format, ...)
{
	va_list ap;
	int n;

	(void)style;
	va_start(ap, format);
	n = printer_add(stream, format, ap);
	va_end(ap);
	return n;
}

/* Read bytes of the text, and note if there are not as many. */
static int printer_read(bfd_vma address, bfd_byte *bytes, unsigned int n, disassemble_info *info)
{
	int error = buffer_read_memory(address, bytes, n, info);
	struct printer *pr = info->stream;

	pr->cut |= error != 0;
	return error;
}

/* Prepare to print instructions of a text. Return false if libopcodes does not know the machine. */
static bool printer_init(struct printer *pr, const struct insn_text *text)
{
	init_disassemble_info(&pr->info, pr, printer_plain, printer_styled);
	pr->info.arch = bfd_arch_i386;
	pr->info.mach = text->bits == 64 ? bfd_mach_x86_64 : bfd_mach_i386_i386;
	pr->info.buffer = (bfd_byte *)text->bytes;
	pr->info.buffer_vma = text->addr;
	pr->info.buffer_length = text->size;
	pr->info.read_memory_func = printer_read;
	disassemble_init_for_target(&pr->info);
	pr->print = disassembler(bfd_arch_i386, false, pr->info.mach, NULL);
	return pr->print;
}

/*
 * Return the size of the instruction at an offset, 0 if there is none. libopcodes prints the first
 * byte of an instruction that is cut off as if it were one.
 */
static unsigned int printer_insn(struct printer *pr, uint64_t offset)
{
	int n;

	pr->cut = false;
	pr->len = 0;
	pr->text[0] = '\0';
	n = pr->print(pr->info.buffer_vma + offset, &pr->info);
	return n > 0 && !pr->cut && !strstr(pr->text, "(bad)") ? n : 0;
}

/* ---- what an instruction does ---- */

/* An instruction, taken apart. */
struct parts {
	const uint8_t *opcode, *end;
	uint8_t rex;
	bool notrack; /* prefix of jumps by a table */
	bool refused; /* it has a prefix with which the kernel has no breakpoints */
};

static bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3 ||
	       byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 ||
	       byte == 0x65;
}

/* Take an instruction apart. */
static struct parts parts_of(const struct insn_text *text, const struct insn *insn)
{
	const uint8_t *at = text->bytes + insn->offset;
	struct parts parts = {.end = at + insn->size};

	for (; at < parts.end - 1 && is_prefix(*at); at++) {
		parts.notrack |= *at == 0x3e;
		parts.refused |= dtrace_uprobe_refuses_prefix(*at);
	}
	if (text->bits == 64 && at < parts.end - 1 && (*at & 0xf0) == 0x40)
		parts.rex = *at++;
	parts.opcode = at;
	return parts;
}

/* Return whether an instruction returns from the function. */
static bool is_return(const struct parts *parts)
{
	switch (*parts->opcode) {
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcf:
		return true;
	default:
		return false;
	}
}

static int32_t disp32(const uint8_t *at)
{
	int32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/*
 * Return whether it is a direct jump. Set *target, and *counted: it tests a counter, not the flags.
 */
static bool jump_direct(const struct insn_text *text, const struct insn *insn, uint64_t *target,
			bool *counted)
{
	struct parts parts = parts_of(text, insn);
	const uint8_t *op = parts.opcode;
	size_t n = parts.end - op;
	int64_t disp;

	*counted = *op >= 0xe0 && *op <= 0xe3;
	if (n == 2 && (*op == 0xeb || (*op & 0xf0) == 0x70 || (*op >= 0xe0 && *op <= 0xe3)))
		disp = (int8_t)op[1];
	else if (n == 5 && *op == 0xe9)
		disp = disp32(op + 1);
	else if (n == 6 && *op == 0x0f && (op[1] & 0xf0) == 0x80)
		disp = disp32(op + 2);
	else
		return false;
	*target = text->addr + insn->offset + insn->size + disp;
	if (text->bits == 32)
		*target = (uint32_t)*target;
	return true;
}

/* Return whether the operand behind an opcode has an index register. */
static bool is_indexed(const uint8_t *modrm, const uint8_t *end, uint8_t rex)
{
	if ((*modrm & 0xc7) == 0xc4 || (*modrm & 7) != 4 || modrm + 1 >= end)
		return false;
	return (modrm[1] >> 3 & 7) != 4 || (rex & 2);
}

/*
 * Return 1 if an instruction loads a register, by which a jump goes, from a table; 0 if it loads it
 * from elsewhere; -1 if it does not load it.
 */
static int table_evidence(const struct parts *parts, unsigned int reg)
{
	const uint8_t *op = parts->opcode;
	unsigned int to, from;

	if (parts->end - op < 2)
		return -1;
	to = (op[1] >> 3 & 7) | (parts->rex & 4 ? 8 : 0);
	from = (op[1] & 7) | (parts->rex & 1 ? 8 : 0);
	if (*op == 0x03 && to == reg)
		return 1;
	if (*op == 0x01 && op[1] >= 0xc0 && from == reg)
		return 1;
	if (*op == 0x8b && to == reg)
		return is_indexed(op + 1, parts->end, parts->rex);
	return -1;
}

/*
 * Return whether the i-th instruction, a jump by a register, is that of a switch. Compilers load
 * the register just before.
 */
static bool jump_by_table(const struct insn_text *text, const struct insns *code, size_t i,
			  unsigned int reg)
{
	for (size_t back = 1; back <= LOOKBACK && back <= i; back++) {
		struct parts parts = parts_of(text, &code->list[i - back]);
		int evidence = table_evidence(&parts, reg);

		if (evidence != -1)
			return evidence;
		if (is_return(&parts) || *parts.opcode == 0xe9 || *parts.opcode == 0xeb)
			break;
	}
	return false;
}

/*
 * Return whether an indirect jump leads to another function: it does unless it is that of a switch.
 */
static bool jump_indirect_leaves(const struct insn_text *text, const struct insns *code, size_t i)
{
	struct parts parts = parts_of(text, &code->list[i]);
	const uint8_t *op = parts.opcode;
	unsigned int kind = parts.end - op >= 2 ? op[1] >> 3 & 7 : 0;

	if (*op != 0xff || (kind != 4 && kind != 5) || parts.notrack)
		return false;
	if (op[1] >= 0xc0)
		return !jump_by_table(text, code, i, (op[1] & 7) | (parts.rex & 1 ? 8 : 0));
	return !is_indexed(op + 1, parts.end, parts.rex);
}

/* ---- stepping: see dtrace/uprobe.h ---- */

/* Return whether an instruction is a system call. */
static bool enters_kernel(const struct parts *parts)
{
	const uint8_t *op = parts->opcode;

	return *op == 0xcd ||
	       (parts->end - op >= 2 && *op == 0x0f && (op[1] == 0x05 || op[1] == 0x34));
}

/* Return whether a system call does no harm if it is stepped with the instruction behind it. */
static bool call_is_safe(const struct insn_text *text, const struct insn *insn)
{
	return text->bits == 64 && insn->offset >= DTRACE_UPROBE_BEFORE &&
	       text->size - insn->offset >= DTRACE_UPROBE_AFTER &&
	       dtrace_uprobe_call_is_safe(text->bytes + insn->offset);
}

/* Return the opcode behind a VEX, EVEX or XOP prefix, -1 if there is no such prefix. */
static int vector_opcode(const struct insn_text *text, const struct parts *parts)
{
	const uint8_t *op = parts->opcode;
	size_t n = parts->end - op, at;

	if (n < 3 || parts->rex != 0 || (text->bits == 32 && op[1] < 0xc0))
		return -1;
	at = dtrace_uprobe_vector(op);
	return at != 0 && at < n ? op[at] : -1;
}

/*
 * Return whether the kernel refuses a breakpoint. Where probes move instructions, those with a
 * prefix and vector instructions need no breakpoint.
 */
static bool is_refused(const struct insn_text *text, const struct parts *parts)
{
	int opcode = vector_opcode(text, parts);

	if (text->moved)
		return opcode == -1 && dtrace_uprobe_refuses(text->bits, *parts->opcode);
	if (opcode == -1)
		return parts->refused || dtrace_uprobe_refuses(text->bits, *parts->opcode);
	return parts->refused || dtrace_uprobe_misreads(opcode) ||
	       dtrace_uprobe_refuses(text->bits, opcode);
}

/* Return whether a probe at the i-th instruction is impossible, harmful, or never reached. */
static bool insn_is_unfit(const struct insn_text *text, const struct insns *code, size_t i)
{
	const struct insn *insn = &code->list[i];
	struct parts parts = parts_of(text, insn);

	return is_refused(text, &parts) || (enters_kernel(&parts) && !call_is_safe(text, insn)) ||
	       (i > 0 && call_is_safe(text, insn - 1));
}

/* ---- the whole function ---- */

static bool within(const struct insn_text *text, uint64_t address)
{
	return address - text->addr < text->size;
}

/*
 * Return whether an instruction begins at offset. A jump may leave out a lock prefix, as in old C
 * libraries.
 */
static bool is_boundary(const struct insn_text *text, const struct insns *code, uint64_t offset)
{
	const struct insn *insn = insns_at(code, offset);

	return insn->offset == offset ||
	       (insn->offset + 1 == offset && text->bytes[insn->offset] == 0xf0);
}

/* Note the first damage. */
static void code_damage(struct insns *code, uint64_t where, const char *why)
{
	if (code->damage)
		return;
	code->damage = why;
	code->where = where;
}

/* Set what the i-th instruction does. Jumps into instructions are damage. */
static void insn_judge(struct insns *code, const struct insn_text *text, size_t i,
		       bool (*stays)(void *arg, uint64_t at, uint64_t target), void *arg)
{
	struct insn *insn = &code->list[i];
	struct parts parts = parts_of(text, insn);
	const uint64_t at = text->addr + insn->offset;
	uint64_t target;
	bool counted;

	insn->skipped = insn_is_unfit(text, code, i);
	if (jump_direct(text, insn, &target, &counted)) {
		if (!within(text, target))
			insn->leaves = !counted && !stays(arg, at, target);
		else if (!is_boundary(text, code, target - text->addr))
			code_damage(code, insn->offset, "a jump leads into an instruction");
	} else {
		insn->leaves = is_return(&parts) ||
			       (jump_indirect_leaves(text, code, i) && !stays(arg, at, 0));
	}
}

/* Find where instructions begin. Return false without memory. */
static bool code_scan(struct insns *code, const struct insn_text *text, struct printer *pr)
{
	struct insn *more;

	for (uint64_t at = 0; at < text->size; at += code->list[code->n++].size) {
		unsigned int size = printer_insn(pr, at);

		if (size == 0 || size > text->size - at) {
			code_damage(code, at, "some bytes are no instruction");
			return true;
		}
		more = dt_list_grow(code->list, code->n, sizeof(*more));
		if (!more)
			return false;
		code->list = more;
		more[code->n] = (struct insn){.offset = at, .size = size};
	}
	return true;
}

bool insns_read(struct insns *code, const struct insn_text *text,
		bool (*stays)(void *arg, uint64_t at, uint64_t target), void *arg)
{
	struct printer pr;

	*code = (struct insns){0};
	if (text->size > UINT32_MAX || !printer_init(&pr, text)) {
		code_damage(code, 0, "its machine is not known");
		return true;
	}
	if (!code_scan(code, text, &pr)) {
		disassemble_free_target(&pr.info);
		insns_free(code);
		return false;
	}
	disassemble_free_target(&pr.info);
	for (size_t i = 0; i < code->n && !code->damage; i++)
		insn_judge(code, text, i, stays, arg);
	return true;
}

/* The first bytes nearly always show that there is no need to look closer. */
bool insn_is_harmed(const struct insn_text *text)
{
	struct insn_text head = *text;
	struct insn first = {.size = text->size < 15 ? text->size : 15};
	struct parts parts;
	struct insns code = {0};
	struct printer pr;
	bool harmed = true;

	if (text->size == 0)
		return false;
	parts = parts_of(text, &first);
	if (!enters_kernel(&parts) && vector_opcode(text, &parts) == -1)
		return false;
	if (head.size > HEAD)
		head.size = HEAD;
	if (printer_init(&pr, &head) && code_scan(&code, &head, &pr) && code.n > 0)
		harmed = insn_is_unfit(&head, &code, 0);
	disassemble_free_target(&pr.info);
	insns_free(&code);
	return harmed;
}

void insns_free(struct insns *code)
{
	free(code->list);
	*code = (struct insns){0};
}

const struct insn *insns_at(const struct insns *code, uint64_t offset)
{
	size_t lo = 0, hi = code->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (code->list[mid].offset <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 ? &code->list[lo - 1] : NULL;
}

size_t insn_length(const struct insn_text *text, const uint8_t **opcode)
{
	struct insn insn = {0};
	struct printer pr;

	if (text->size != 0 && printer_init(&pr, text)) {
		insn.size = printer_insn(&pr, 0);
		disassemble_free_target(&pr.info);
	}
	if (insn.size != 0)
		*opcode = parts_of(text, &insn).opcode;
	return insn.size;
}

void insn_print(const struct insn_text *text, char *out, size_t len)
{
	struct printer pr;

	if (!printer_init(&pr, text) || printer_insn(&pr, 0) == 0)
		snprintf(out, len, "(bad)");
	else
		snprintf(out, len, "%s", pr.text);
	disassemble_free_target(&pr.info);
	for (size_t n = strlen(out); n > 0 && out[n - 1] == ' '; n--)
		out[n - 1] = '\0';
}
