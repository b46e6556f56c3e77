/* SPDX-License-Identifier: MIT */
/* operand_x86_text.c - operands in the assembly syntax of x86: %eax 16(%rsp,%rbx,8) $5. */
#include "operand_text.h"

/* ---- registers ---- */

struct reg {
	uint8_t number; /* DOF_REG_* */
	uint8_t size;
	bool high, xmm;
};

/* Parse r8, r9d, r10w, r15b and the like. */
static bool reg_numbered(const char *word, size_t len, struct reg *reg)
{
	unsigned int number;
	size_t digits = text_digits(word + 1, len - 1, &number);
	char suffix = digits + 1 < len ? word[digits + 1] : 'q';

	if (word[0] != 'r' || !digits || number < 8 || number > 15 || digits + 2 < len)
		return false;
	reg->number = (uint8_t)number;
	reg->size = suffix == 'q' ? 8 : suffix == 'd' ? 4 : suffix == 'w' ? 2 : 1;
	return suffix == 'q' || suffix == 'd' || suffix == 'w' || suffix == 'b';
}

static bool reg_xmm(const char *word, size_t len, struct reg *reg)
{
	unsigned int number;

	if (len < 4 || !text_is(word, 3, "xmm") ||
	    text_digits(word + 3, len - 3, &number) != len - 3)
		return false;
	reg->number = (uint8_t)number;
	reg->size = 8;
	reg->xmm = true;
	return number < 16;
}

/* Parse rax, ax, al, ah, rsi, si, sil and the like. */
static bool reg_classic(const char *word, size_t len, struct reg *reg)
{
	static const char names[][3] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};

	reg->size = word[0] == 'r' ? 8 : word[0] == 'e' ? 4 : 2;
	if (reg->size != 2) {
		word++;
		len--;
	}
	for (uint8_t i = 0; i < 8; i++) {
		reg->number = i;
		if (text_is(word, len, names[i]))
			return true;
		if (reg->size != 2 || len < 2)
			continue;
		reg->high = word[1] == 'h';
		reg->size = 1;
		if (i < 4 && len == 2 && word[0] == names[i][0] && (word[1] == 'l' || reg->high))
			return true;
		if (i >= 4 && len == 3 && text_is(word, 2, names[i]) && word[2] == 'l')
			return true;
		reg->size = 2;
		reg->high = false;
	}
	return false;
}

/* Read a register after its percent sign. */
static bool read_reg(struct text *t, struct reg *reg)
{
	const char *word;
	size_t len = text_word(t, &word);

	*reg = (struct reg){0};
	if (len < 2)
		return false;
	if (text_is(word, len, "rip") || text_is(word, len, "eip")) {
		reg->number = DOF_REG_IP;
		reg->size = 8;
		return true;
	}
	return reg_numbered(word, len, reg) || reg_xmm(word, len, reg) ||
	       reg_classic(word, len, reg);
}

/* ---- memory operands ---- */

/* Read (base,index,scale) after the opening parenthesis. */
static bool read_address(struct text *t, dof_argloc_t *loc)
{
	struct reg reg;
	int64_t scale;

	if (text_accept(t, '%')) {
		if (!read_reg(t, &reg) || reg.size < 4)
			return false;
		loc->al_base = reg.number;
	}
	if (text_accept(t, ',')) {
		if (!text_accept(t, '%') || !read_reg(t, &reg) || reg.size < 4)
			return false;
		loc->al_index = reg.number;
		if (text_accept(t, ',')) {
			if (!text_number(t, &scale) || scale < 1 || scale > 8 ||
			    (scale & (scale - 1)))
				return false;
			loc->al_scale = (uint8_t)scale;
		}
	}
	return text_accept(t, ')');
}

/*
 * Read memory: an expression, an address, or both. A symbol relative to the instruction, or a
 * single number, is an absolute address. So is a symbol within an expression, if the program is at
 * a fixed address.
 */
static bool read_memory(struct text *t, dof_argloc_t *loc)
{
	unsigned int symbols = 0;
	bool any = text_peek(t) != '(';

	loc->al_kind = DOF_LOC_MEM;
	if (any && !text_expression(t, &loc->al_disp, &symbols))
		return false;
	if (text_accept(t, '(')) {
		if (!read_address(t, loc))
			return false;
	} else if (!any) {
		return false;
	}
	if (loc->al_base == DOF_REG_IP && symbols != 1)
		return false;
	if (loc->al_base == DOF_REG_NONE && loc->al_index == DOF_REG_NONE &&
	    !(loc->al_flags & DOF_LOCF_TLS))
		loc->al_base = DOF_REG_IP;
	return true;
}

/* Read the text after a percent sign: a register, or a segment and memory in it. */
static bool read_percent(struct text *t, int bits, dof_argloc_t *loc)
{
	struct reg reg;

	if (t->end - t->at > 3 && (t->at[0] == 'f' || t->at[0] == 'g') && t->at[1] == 's' &&
	    t->at[2] == ':') {
		loc->al_flags |= DOF_LOCF_TLS;
		t->at += 3;
		return read_memory(t, loc);
	}
	if (!read_reg(t, &reg) || reg.number == DOF_REG_IP)
		return false;
	if (!loc->al_size)
		loc->al_size = reg.size;
	loc->al_kind = reg.xmm ? DOF_LOC_XMM : DOF_LOC_REG;
	loc->al_base = reg.number;
	if (reg.high)
		loc->al_flags |= DOF_LOCF_HIGHBYTE;
	return reg.xmm || bits == 64 || loc->al_size < 8 || operand_x86_pair(loc);
}

bool operand_x86_parse(struct text *t, int bits, dof_argloc_t *loc)
{
	unsigned int symbols;

	if (text_accept(t, '%'))
		return read_percent(t, bits, loc);
	if (!text_accept(t, '$'))
		return read_memory(t, loc);
	loc->al_kind = DOF_LOC_CONST;
	return text_expression(t, &loc->al_disp, &symbols);
}
