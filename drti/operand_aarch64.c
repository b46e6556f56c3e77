/* SPDX-License-Identifier: MIT */
/*
 * operand_aarch64.c - operands in the assembly syntax of aarch64: x0 [sp, 16] [x1, x2, lsl 3] 5.
 * Records are text, because no single instruction could name a register, memory and a constant.
 */
#include "operand_text.h"

#define REG_SP 31

struct reg {
	uint8_t number; /* of x, with 31 for the stack pointer, or of v */
	uint8_t size;
	bool vector, zero;
};

/* Return the size of registers whose names begin with a letter, or 0 if there are none. */
static uint8_t reg_letter(char letter)
{
	return letter == 'x' || letter == 'd' || letter == 'v' || letter == 'q' ? 8
	       : letter == 'w' || letter == 's'					? 4
	       : letter == 'h'							? 2
	       : letter == 'b'							? 1
										: 0;
}

static bool reg_numbered(const char *word, size_t len, struct reg *reg)
{
	unsigned int number;
	size_t digits = text_digits(word + 1, len - 1, &number);

	reg->size = reg_letter(word[0]);
	reg->vector = word[0] != 'x' && word[0] != 'w';
	reg->number = (uint8_t)number;
	return reg->size && digits && digits + 1 == len && number < (reg->vector ? 32 : 31);
}

/* Read a register, if it is next. */
static bool read_reg(struct text *t, struct reg *reg)
{
	const char *word, *start = t->at;
	size_t len = text_word(t, &word);

	*reg = (struct reg){.number = REG_SP, .size = len && word[0] == 'w' ? 4 : 8};
	if (text_is(word, len, "sp") || text_is(word, len, "wsp"))
		return true;
	reg->zero = text_is(word, len, "xzr") || text_is(word, len, "wzr");
	if (reg->zero || (len > 1 && reg_numbered(word, len, reg)))
		return true;
	t->at = start;
	return false;
}

static void skip_blanks(struct text *t)
{
	while (text_accept(t, ' '))
		;
}

/* Skip the word, if it is next. */
static bool accept_word(struct text *t, const char *name)
{
	const char *word, *start = t->at;
	size_t len = text_word(t, &word);

	if (text_is(word, len, name))
		return true;
	t->at = start;
	return false;
}

/* Read a shift: lsl #3. */
static bool read_shift(struct text *t, dof_argloc_t *loc)
{
	int64_t shift;

	skip_blanks(t);
	if (!accept_word(t, "lsl"))
		return false;
	skip_blanks(t);
	text_accept(t, '#');
	if (!text_number(t, &shift) || shift > 3)
		return false;
	loc->al_scale = (uint8_t)(1 << shift);
	return true;
}

/* Read a displacement: 16, #16 or #:lo12:symbol. */
static bool read_displacement(struct text *t, dof_argloc_t *loc)
{
	unsigned int symbols;
	bool low;

	text_accept(t, '#');
	low = text_accept(t, ':');
	if (low && (!accept_word(t, "lo12") || !text_accept(t, ':')))
		return false;
	if (!text_expression(t, &loc->al_disp, &symbols))
		return false;
	if (low)
		loc->al_disp &= 0xfff;
	return true;
}

/* Read the part after the comma that follows the base. */
static bool read_offset(struct text *t, dof_argloc_t *loc)
{
	struct reg reg;

	skip_blanks(t);
	if (!read_reg(t, &reg))
		return read_displacement(t, loc);
	if (reg.vector || reg.zero || reg.size != 8 || reg.number == REG_SP)
		return false;
	loc->al_index = reg.number;
	return !text_accept(t, ',') || read_shift(t, loc);
}

/* Read a memory operand after its opening bracket. */
static bool read_memory(struct text *t, dof_argloc_t *loc)
{
	struct reg reg;

	if (!read_reg(t, &reg) || reg.vector || reg.zero || reg.size != 8)
		return false;
	loc->al_kind = DOF_LOC_MEM;
	loc->al_base = reg.number;
	if (text_accept(t, ',') && !read_offset(t, loc))
		return false;
	return text_accept(t, ']');
}

static bool read_constant(struct text *t, dof_argloc_t *loc)
{
	unsigned int symbols;

	text_accept(t, '#');
	loc->al_kind = DOF_LOC_CONST;
	return text_expression(t, &loc->al_disp, &symbols);
}

static bool parse(struct text *t, int bits, dof_argloc_t *loc)
{
	struct reg reg;

	(void)bits;
	if (text_accept(t, '['))
		return read_memory(t, loc);
	if (!read_reg(t, &reg))
		return read_constant(t, loc);
	if (!loc->al_size)
		loc->al_size = reg.size;
	loc->al_kind = reg.zero ? DOF_LOC_CONST : reg.vector ? DOF_LOC_XMM : DOF_LOC_REG;
	if (!reg.zero)
		loc->al_base = reg.number;
	return true;
}

const struct operands operands_aarch64 = {64, NULL, parse};
