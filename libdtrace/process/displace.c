/* SPDX-License-Identifier: MIT */
/*
 * displace.c - one instruction of x86-64, moved to another address where it does the same.
 * libopcodes tells how long it is.
 *
 *	jmp target		jmp target
 *	jcc target		jcc target; jmp next
 *	jrcxz, loop		jrcxz 1f; jmp next; 1: jmp target
 *	call target		push next; jmp target
 *	call *operand		push next; jmp *operand
 *	others			the same; jmp next
 *
 * Distances become those from the new address. `push next` takes its operand from behind the code,
 * since no instruction pushes a constant of 8 bytes.
 */
#include <string.h>
#include "displace.h"
#include "insn.h"

#define JUMP_SIZE 5 /* bytes of `jmp rel32` */
#define PUSH_SIZE 6 /* bytes of `push disp32(%rip)` */
#define WORD	  8

/* ---- the parts of an instruction ---- */

/* Return whether an instruction of the first map of opcodes has a byte modrm. */
static bool has_modrm(uint8_t op)
{
	if (op < 0x40)
		return (op & 7) < 4;
	return op == 0x63 || op == 0x69 || op == 0x6b || (op >= 0x80 && op <= 0x8f) || op == 0xc0 ||
	       op == 0xc1 || op == 0xc6 || op == 0xc7 || (op >= 0xd0 && op <= 0xd3) ||
	       (op >= 0xd8 && op <= 0xdf) || op == 0xf6 || op == 0xf7 || op >= 0xfe;
}

/* Return whether one behind 0f has. */
static bool has_modrm_0f(uint8_t op)
{
	return !((op >= 0x04 && op <= 0x0c) || op == 0x0e || (op >= 0x24 && op <= 0x27) ||
		 (op >= 0x30 && op <= 0x37) || op == 0x77 || (op >= 0x80 && op <= 0x8f) ||
		 (op >= 0xa0 && op <= 0xa2) || (op >= 0xa8 && op <= 0xaa) ||
		 (op >= 0xc8 && op <= 0xcf));
}

/* Return whether a byte where an opcode should be is a prefix. */
static bool is_late_prefix(uint8_t byte)
{
	return (byte & 0xf0) == 0x40 || (byte >= 0x64 && byte <= 0x67) || byte == 0xf0 ||
	       byte == 0xf2 || byte == 0xf3 || byte == 0x26 || byte == 0x2e || byte == 0x36 ||
	       byte == 0x3e;
}

/* An instruction, taken apart. */
struct parts {
	bool narrow;   /* the prefix 66, without the effect of rex.w */
	bool short_ip; /* the prefix 67 */
	bool vector;   /* VEX, EVEX or XOP */
	uint8_t rex;
	const uint8_t *op;    /* the opcode; behind a vector prefix */
	const uint8_t *modrm; /* NULL: there is none */
	const uint8_t *end;
};

/*
 * Take an instruction apart whose opcode, or vector prefix, is known. Return false if it is
 * unknown.
 */
static bool parts_read(struct parts *parts, const uint8_t *bytes, const uint8_t *opcode,
		       size_t size)
{
	const uint8_t *end = bytes + size, *at = bytes;

	*parts = (struct parts){.op = opcode, .end = end};
	for (; at < opcode; at++) {
		parts->narrow |= *at == 0x66;
		parts->short_ip |= *at == 0x67;
	}
	if (opcode > bytes && (opcode[-1] & 0xf0) == 0x40)
		parts->rex = opcode[-1];
	if (parts->rex & 8)
		parts->narrow = false;
	/* REX2; a prefix behind REX; fwait with the instruction behind it. */
	if (*opcode == 0xd5 || is_late_prefix(*opcode) || (*opcode == 0x9b && opcode + 1 < end))
		return false;
	if (*opcode == 0xc4 || *opcode == 0xc5 || *opcode == 0x62 ||
	    (*opcode == 0x8f && opcode + 1 < end && (opcode[1] & 0x1f) >= 8)) {
		parts->vector = true;
		parts->op = opcode + (*opcode == 0xc5 ? 2 : *opcode == 0x62 ? 4 : 3);
		if (parts->op >= end)
			return false;
		if (parts->op + 1 < end)
			parts->modrm = parts->op + 1;
		return true;
	}
	if (*opcode != 0x0f) {
		parts->modrm = has_modrm(*opcode) ? opcode + 1 : NULL;
	} else {
		if (opcode + 1 >= end)
			return false;
		if (opcode[1] == 0x38 || opcode[1] == 0x3a)
			parts->modrm = opcode + 3;
		else if (has_modrm_0f(opcode[1]))
			parts->modrm = opcode + 2;
	}
	return !parts->modrm || parts->modrm < end;
}

/* Return whether an operand is relative to the instruction pointer. */
static bool is_relative(const struct parts *parts)
{
	return parts->modrm && (*parts->modrm & 0xc7) == 0x05;
}

/* ---- what cannot be moved ---- */

/* Return why an instruction must stay where it is, or NULL. */
static const char *parts_refuse(const struct parts *parts)
{
	const uint8_t *op = parts->op;
	const uint8_t reg = parts->modrm ? *parts->modrm >> 3 & 7 : 0;

	if (parts->vector)
		return NULL;
	switch (*op) {
	case 0xcc:
	case 0xcd:
	case 0xf1:
		return "it is a trap, whose handler may want to know where it is";
	case 0xca:
	case 0xcb:
	case 0xcf:
		return "it returns to another segment of code";
	case 0xe4:
	case 0xe5:
	case 0xe6:
	case 0xe7:
	case 0xec:
	case 0xed:
	case 0xee:
	case 0xef:
	case 0x6c:
	case 0x6d:
	case 0x6e:
	case 0x6f:
	case 0xf4:
	case 0xfa:
	case 0xfb:
		return "it is one that no program may execute";
	case 0xc7:
		return parts->modrm && *parts->modrm == 0xf8 ? "it begins a transaction" : NULL;
	case 0xff:
		return reg == 3 || reg == 5 ? "it goes to another segment of code" : NULL;
	case 0x0f:
		break;
	default:
		return NULL;
	}
	switch (op[1]) {
	case 0x0b:
	case 0xb9:
	case 0xff:
		return "it is a trap, whose handler may want to know where it is";
	case 0x06:
	case 0x07:
	case 0x08:
	case 0x09:
	case 0x20:
	case 0x21:
	case 0x22:
	case 0x23:
	case 0x30:
	case 0x32:
	case 0x34:
	case 0x35:
		return "it is one that no program may execute";
	default:
		return NULL;
	}
}

/* ---- reading ---- */

static int32_t get32(const uint8_t *at)
{
	int32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Return the kind of an instruction that leaves the sequence, DISPLACE_COPY for others. */
static enum displace_kind kind_of(const struct parts *parts)
{
	const uint8_t *op = parts->op, reg = parts->modrm ? *parts->modrm >> 3 & 7 : 0;

	if (parts->vector)
		return DISPLACE_COPY;
	if (*op == 0xeb || *op == 0xe9)
		return DISPLACE_JUMP;
	if ((*op & 0xf0) == 0x70 || (*op == 0x0f && (op[1] & 0xf0) == 0x80))
		return DISPLACE_JUMP_IF;
	if (*op >= 0xe0 && *op <= 0xe3)
		return DISPLACE_JUMP_COUNTED;
	if (*op == 0xe8)
		return DISPLACE_CALL;
	if (*op == 0xff && reg == 2)
		return DISPLACE_CALL_BY;
	if (*op == 0xc2 || *op == 0xc3 || (*op == 0xff && reg == 4))
		return DISPLACE_LEAVE;
	return DISPLACE_COPY;
}

/* Set the target of a direct jump or call, whose distance is at the end of the instruction. */
static void target_set(struct displace *insn, const struct parts *parts)
{
	const uint8_t op = *parts->op;
	const bool wide = op == 0xe8 || op == 0xe9 || op == 0x0f;
	int64_t distance = wide ? get32(parts->end - 4) : (int8_t)parts->end[-1];

	insn->target = insn->next + (uint64_t)distance;
	if (insn->kind == DISPLACE_JUMP_IF)
		insn->condition = (op == 0x0f ? parts->op[1] : op) & 15;
}

/* Return whether the stack pointer is the base of the operand of an indirect call. */
static bool is_stack_based(const struct parts *parts)
{
	return (*parts->modrm & 7) == 4 && *parts->modrm < 0xc0 && (parts->modrm[1] & 7) == 4 &&
	       !(parts->rex & 1);
}

/* Return why the operand of an indirect call cannot be used behind a push, or NULL. */
static const char *call_refuse(const struct parts *parts)
{
	const uint8_t modrm = *parts->modrm;
	int32_t disp = 0;

	if ((modrm & 0xc7) == 0xc4 && !(parts->rex & 1))
		return "it calls by the stack pointer";
	if (!is_stack_based(parts))
		return NULL;
	if (modrm >> 6 == 1)
		disp = (int8_t)parts->modrm[2];
	else if (modrm >> 6 == 2)
		disp = get32(parts->modrm + 2);
	return disp < 0 || disp > INT32_MAX - WORD || (parts->modrm[1] >> 3 & 7) != 4 ||
			       (parts->rex & 2)
		       ? "it calls by an address that it overwrites"
		       : NULL;
}

const char *displace_read(struct displace *insn, const uint8_t *bytes, size_t n, uint64_t addr)
{
	struct insn_text text = {.bytes = insn->bytes,
				 .addr = addr,
				 .size = n < DISPLACE_INSN ? n : DISPLACE_INSN,
				 .bits = 64};
	const uint8_t *opcode;
	struct parts parts;
	const char *why;

	*insn = (struct displace){0};
	memcpy(insn->bytes, bytes, text.size);
	insn->size = (uint8_t)insn_length(&text, &opcode);
	if (!insn->size || !parts_read(&parts, insn->bytes, opcode, insn->size))
		return "it is no instruction that is known";
	memset(insn->bytes + insn->size, 0, sizeof(insn->bytes) - insn->size);
	insn->opcode = (uint8_t)(opcode - insn->bytes);
	insn->next = addr + insn->size;
	why = parts_refuse(&parts);
	if (why)
		return why;
	insn->kind = kind_of(&parts);
	if (insn->kind >= DISPLACE_LEAVE && parts.narrow)
		return "it has an operand size that processors understand differently";
	if (insn->kind == DISPLACE_CALL_BY) {
		why = call_refuse(&parts);
		if (why)
			return why;
	}
	if (insn->kind == DISPLACE_JUMP || insn->kind == DISPLACE_JUMP_IF ||
	    insn->kind == DISPLACE_JUMP_COUNTED || insn->kind == DISPLACE_CALL)
		target_set(insn, &parts);
	if (!is_relative(&parts))
		return NULL;
	if (parts.short_ip || parts.end - parts.modrm < 5)
		return "it has an address of 32 bits relative to itself";
	if (insn->kind == DISPLACE_COPY)
		insn->kind = DISPLACE_OPERAND;
	insn->relative = (uint8_t)(parts.modrm + 1 - insn->bytes);
	insn->target = insn->next + (uint64_t)(int64_t)get32(parts.modrm + 1);
	return NULL;
}

/* ---- writing ---- */

/* Code that is being written for an address. */
struct writer {
	uint8_t *code;
	uint64_t addr; /* of the next byte */
};

static void write_bytes(struct writer *w, const uint8_t *bytes, size_t n)
{
	memcpy(w->code, bytes, n);
	w->code += n;
	w->addr += n;
}

/* Write the distance of a target from behind itself. */
static void write_distance(struct writer *w, uint64_t target)
{
	const int32_t distance = (int32_t)(int64_t)(target - (w->addr + 4));
	uint8_t bytes[4];

	memcpy(bytes, &distance, sizeof(bytes));
	write_bytes(w, bytes, sizeof(bytes));
}

static void write_jump(struct writer *w, uint64_t target)
{
	write_bytes(w, (const uint8_t[]){0xe9}, 1);
	write_distance(w, target);
}

/* Write the instruction with a new distance of its relative operand, if it has one. */
static void write_copy(struct writer *w, const struct displace *insn)
{
	const uint64_t moved = w->addr + insn->size;
	uint8_t *at = w->code + insn->relative;

	write_bytes(w, insn->bytes, insn->size);
	if (insn->relative) {
		const int32_t distance = (int32_t)(int64_t)(insn->target - moved);

		memcpy(at, &distance, sizeof(distance));
	}
}

/*
 * Write an indirect call as a jump. The push has moved the stack pointer, so a distance from that
 * becomes one of 4 bytes that is larger by a word.
 */
static void write_jump_by(struct writer *w, const struct displace *insn)
{
	const uint8_t *modrm = insn->bytes + insn->opcode + 1;
	struct displace jump = *insn;
	int32_t disp = WORD;
	const bool rex_b = insn->opcode && (insn->bytes[insn->opcode - 1] & 0xf1) == 0x41;

	if (*modrm >= 0xc0 || (*modrm & 7) != 4 || (modrm[1] & 7) != 4 || rex_b) {
		jump.bytes[insn->opcode + 1] = (uint8_t)((*modrm & 0xc7) | 0x20);
		write_copy(w, &jump);
		return;
	}
	if (*modrm >> 6 == 1)
		disp += (int8_t)modrm[2];
	else if (*modrm >> 6 == 2)
		disp += get32(modrm + 2);
	write_bytes(w, insn->bytes, insn->opcode + 1U);
	write_bytes(w, (const uint8_t[]){0xa4, modrm[1]}, 2);
	write_bytes(w, (const uint8_t *)&disp, sizeof(disp));
}

/* Write the push of the constant at an address. */
static void write_push(struct writer *w, uint64_t constant)
{
	write_bytes(w, (const uint8_t[]){0xff, 0x35}, 2);
	write_distance(w, constant);
}

size_t displace_size(const struct displace *insn)
{
	switch (insn->kind) {
	case DISPLACE_LEAVE:
		return insn->size;
	case DISPLACE_JUMP:
		return JUMP_SIZE;
	case DISPLACE_JUMP_IF:
		return 6 + JUMP_SIZE;
	case DISPLACE_JUMP_COUNTED:
		return insn->size + 2U * JUMP_SIZE;
	case DISPLACE_CALL:
		return PUSH_SIZE + JUMP_SIZE + WORD;
	case DISPLACE_CALL_BY:
		return PUSH_SIZE + insn->size + 4U + WORD; /* 4: of a longer distance */
	default:
		return insn->size + (size_t)JUMP_SIZE;
	}
}

static bool is_within(uint64_t from, uint64_t to)
{
	const int64_t distance = (int64_t)(to - from);

	/* Less than the most, since it counts from somewhere in the code. */
	return distance > INT32_MIN + DISPLACE_CODE && distance < INT32_MAX - DISPLACE_CODE;
}

bool displace_reaches(const struct displace *insn, uint64_t at)
{
	const bool goes_on = insn->kind == DISPLACE_COPY || insn->kind == DISPLACE_OPERAND ||
			     insn->kind == DISPLACE_JUMP_IF || insn->kind == DISPLACE_JUMP_COUNTED;
	const bool has_target =
		insn->relative || (insn->kind >= DISPLACE_JUMP && insn->kind <= DISPLACE_CALL);

	return (!goes_on || is_within(at, insn->next)) &&
	       (!has_target || is_within(at, insn->target));
}

void displace_write(const struct displace *insn, uint64_t at, uint8_t *code)
{
	const uint64_t constant = at + displace_size(insn) - WORD;
	struct writer w = {code, at};

	switch (insn->kind) {
	case DISPLACE_COPY:
	case DISPLACE_OPERAND:
		write_copy(&w, insn);
		write_jump(&w, insn->next);
		break;
	case DISPLACE_LEAVE:
		write_copy(&w, insn);
		break;
	case DISPLACE_JUMP:
		write_jump(&w, insn->target);
		break;
	case DISPLACE_JUMP_IF:
		write_bytes(&w, (const uint8_t[]){0x0f, 0x80 | insn->condition}, 2);
		write_distance(&w, insn->target);
		write_jump(&w, insn->next);
		break;
	case DISPLACE_JUMP_COUNTED:
		write_bytes(&w, insn->bytes, insn->size - 1U);
		write_bytes(&w, (const uint8_t[]){JUMP_SIZE}, 1);
		write_jump(&w, insn->next);
		write_jump(&w, insn->target);
		break;
	case DISPLACE_CALL:
		write_push(&w, constant);
		write_jump(&w, insn->target);
		memcpy(code + displace_size(insn) - WORD, &insn->next, WORD);
		break;
	case DISPLACE_CALL_BY:
		write_push(&w, constant);
		write_jump_by(&w, insn);
		memcpy(code + displace_size(insn) - WORD, &insn->next, WORD);
		break;
	}
}
