/* SPDX-License-Identifier: MIT */
/*
 * operand_text.c - reads the arguments of SystemTap notes, which are text: -4@%eax 8f@16(%rsp)
 * 8@$5.
 */
#include "operand.h"

/* A text that is being read; what follows its end is never looked at. */
struct text {
	const char *at, *end;
	int bits;
	operand_symbol *symbol;
	void *context;
};

static char peek(const struct text *t)
{
	return t->at < t->end ? *t->at : '\0';
}

static bool accept(struct text *t, char c)
{
	if (t->at == t->end || *t->at != c)
		return false;
	t->at++;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '.' || c == '$';
}

/* ---- registers ---- */

struct reg {
	uint8_t number; /* DOF_REG_* */
	uint8_t size;
	bool high, xmm;
};

static bool word_is(const char *word, size_t len, const char *name)
{
	while (len && *name && *word == *name) {
		word++;
		name++;
		len--;
	}
	return !len && !*name;
}

/* The number at the start of a word, and how many digits it has. */
static size_t word_number(const char *word, size_t len, unsigned int *number)
{
	size_t i = 0;

	for (*number = 0; i < len && i < 3 && is_digit(word[i]); i++)
		*number = *number * 10 + (unsigned int)(word[i] - '0');
	return i;
}

/* r8 r9d r10w r15b */
static bool reg_numbered(const char *word, size_t len, struct reg *reg)
{
	unsigned int number;
	size_t digits = word_number(word + 1, len - 1, &number);
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

	if (len < 4 || !word_is(word, 3, "xmm") ||
	    word_number(word + 3, len - 3, &number) != len - 3)
		return false;
	reg->number = (uint8_t)number;
	reg->size = 8;
	reg->xmm = true;
	return number < 16;
}

/* rax ax al ah, rsi si sil */
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
		if (word_is(word, len, names[i]))
			return true;
		if (reg->size != 2 || len < 2)
			continue;
		reg->high = word[1] == 'h';
		reg->size = 1;
		if (i < 4 && len == 2 && word[0] == names[i][0] && (word[1] == 'l' || reg->high))
			return true;
		if (i >= 4 && len == 3 && word_is(word, 2, names[i]) && word[2] == 'l')
			return true;
		reg->size = 2;
		reg->high = false;
	}
	return false;
}

/* What follows a percent sign. */
static bool read_reg(struct text *t, struct reg *reg)
{
	const char *word = t->at;
	size_t len;

	while (is_name(peek(t)))
		t->at++;
	len = (size_t)(t->at - word);
	*reg = (struct reg){0};
	if (len < 2)
		return false;
	if (word_is(word, len, "rip") || word_is(word, len, "eip")) {
		reg->number = DOF_REG_IP;
		reg->size = 8;
		return true;
	}
	return reg_numbered(word, len, reg) || reg_xmm(word, len, reg) ||
	       reg_classic(word, len, reg);
}

/* ---- expressions ---- */

static bool read_number(struct text *t, int64_t *value)
{
	unsigned int base = 10, digit;
	uint64_t sum = 0;

	if (!is_digit(peek(t)))
		return false;
	if (accept(t, '0'))
		base = accept(t, 'x') || accept(t, 'X') ? 16 : 8;
	for (;; t->at++) {
		char c = peek(t);

		digit = is_digit(c)	       ? (unsigned int)(c - '0')
			: c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a' + 10)
			: c >= 'A' && c <= 'F' ? (unsigned int)(c - 'A' + 10)
					       : 16;
		if (digit >= base)
			break;
		sum = sum * base + digit;
	}
	*value = (int64_t)sum;
	return true;
}

static size_t read_name(struct text *t, const char **name)
{
	*name = t->at;
	while (is_name(peek(t)))
		t->at++;
	return (size_t)(t->at - *name);
}

/*
 * A symbol's address, or for name@GOTOFF its distance from the table that position-independent i386
 * code has in a register. Places in that table (name@GOTPCREL) are known to the linker only.
 */
static bool read_symbol(struct text *t, int64_t *value)
{
	static const char got[] = "_GLOBAL_OFFSET_TABLE_";
	uint64_t address = 0, table = 0;
	const char *name, *suffix;
	size_t len = read_name(t, &name);

	if (!len || !t->symbol || !t->symbol(t->context, name, len, &address))
		return false;
	if (accept(t, '@')) {
		len = read_name(t, &suffix);
		if (!word_is(suffix, len, "GOTOFF") ||
		    !t->symbol(t->context, got, sizeof(got) - 1, &table))
			return false;
	}
	*value = (int64_t)(address - table);
	return true;
}

/* Terms with + and - between them. *symbols: how many of them are symbols. */
static bool read_expression(struct text *t, int64_t *value, unsigned int *symbols)
{
	bool negative = accept(t, '-');
	int64_t term;

	*value = 0;
	*symbols = 0;
	for (;;) {
		if (!read_number(t, &term)) {
			if (!read_symbol(t, &term))
				return false;
			++*symbols;
		}
		*value = (int64_t)(negative ? (uint64_t)*value - (uint64_t)term
					    : (uint64_t)*value + (uint64_t)term);
		negative = peek(t) == '-';
		if (!accept(t, '+') && !accept(t, '-'))
			return true;
	}
}

/* ---- places ---- */

/* (base,index,scale), the parenthesis read already. */
static bool read_address(struct text *t, dof_argloc_t *loc)
{
	struct reg reg;
	int64_t scale;

	if (accept(t, '%')) {
		if (!read_reg(t, &reg) || reg.size < 4)
			return false;
		loc->al_base = reg.number;
	}
	if (accept(t, ',')) {
		if (!accept(t, '%') || !read_reg(t, &reg) || reg.size < 4)
			return false;
		loc->al_index = reg.number;
		if (accept(t, ',')) {
			if (!read_number(t, &scale) || scale < 1 || scale > 8 ||
			    (scale & (scale - 1)))
				return false;
			loc->al_scale = (uint8_t)scale;
		}
	}
	return accept(t, ')');
}

/*
 * Memory: an expression, an address, or both. A symbol relative to the instruction, or a number
 * alone, is an absolute place; so is a symbol in the middle of others if the program is at a fixed
 * place.
 */
static bool read_memory(struct text *t, dof_argloc_t *loc)
{
	unsigned int symbols = 0;
	bool any = peek(t) != '(';

	loc->al_kind = DOF_LOC_MEM;
	if (any && !read_expression(t, &loc->al_disp, &symbols))
		return false;
	if (accept(t, '(')) {
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

/* What follows a percent sign: a register, or a segment and memory in it. */
static bool read_percent(struct text *t, dof_argloc_t *loc)
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
	return reg.xmm || t->bits == 64 || loc->al_size < 8 || operand_pair(loc);
}

static bool read_place(struct text *t, dof_argloc_t *loc)
{
	unsigned int symbols;

	if (accept(t, '%'))
		return read_percent(t, loc);
	if (!accept(t, '$'))
		return read_memory(t, loc);
	loc->al_kind = DOF_LOC_CONST;
	return read_expression(t, &loc->al_disp, &symbols);
}

/* "-4@", "8f@"; nothing at all if the register says the size. */
static bool read_size(struct text *t, dof_argloc_t *loc)
{
	const char *start = t->at;
	bool negative = accept(t, '-'), real;
	int64_t size;

	if (read_number(t, &size)) {
		real = accept(t, 'f');
		if (accept(t, '@')) {
			loc->al_size = (uint8_t)size;
			loc->al_flags =
				(negative ? DOF_LOCF_SIGNED : 0) | (real ? DOF_LOCF_FLOAT : 0);
			return size == 1 || size == 2 || size == 4 || size == 8;
		}
	}
	t->at = start;
	return true;
}

/* The end of the word, wherever understanding ended. */
static void skip_word(struct text *t)
{
	while (t->at < t->end && *t->at && *t->at != ' ')
		t->at++;
}

static bool size_valid(unsigned int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

size_t operand_text(const char *in, size_t len, int bits, operand_symbol *symbol, void *context,
		    dof_argloc_t *loc)
{
	static const dof_argloc_t nowhere = {.al_kind = DOF_LOC_NONE,
					     .al_base = DOF_REG_NONE,
					     .al_index = DOF_REG_NONE,
					     .al_scale = 1};
	struct text t = {in, in + len, bits, symbol, context};
	uint8_t size;

	while (accept(&t, ' '))
		;
	if (!peek(&t))
		return 0;
	*loc = nowhere;
	if (!read_size(&t, loc) || !read_place(&t, loc) || (peek(&t) && peek(&t) != ' ')) {
		size = loc->al_size;
		*loc = nowhere;
		loc->al_size = size;
	}
	if (!size_valid(loc->al_size))
		loc->al_size = (uint8_t)(bits / 8);
	if (loc->al_kind == DOF_LOC_CONST)
		operand_constant(loc);
	skip_word(&t);
	return (size_t)(t.at - in);
}
