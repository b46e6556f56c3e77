/* SPDX-License-Identifier: MIT */
/*
 * operand_text.c - reads the arguments of SystemTap notes, which are text: -4@%eax 8f@16(%rsp)
 * 8@$5, or -4@x0 8@[sp, 16] 8@5.
 */
#include "operand_text.h"

char text_peek(const struct text *t)
{
	return t->at < t->end ? *t->at : '\0';
}

bool text_accept(struct text *t, char c)
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

/* ---- words ---- */

size_t text_word(struct text *t, const char **word)
{
	*word = t->at;
	while (is_name(text_peek(t)))
		t->at++;
	return (size_t)(t->at - *word);
}

bool text_is(const char *word, size_t len, const char *name)
{
	while (len && *name && *word == *name) {
		word++;
		name++;
		len--;
	}
	return !len && !*name;
}

/* Parse the digits at the start of a word. Return their number. */
size_t text_digits(const char *word, size_t len, unsigned int *number)
{
	size_t i = 0;

	for (*number = 0; i < len && i < 3 && is_digit(word[i]); i++)
		*number = *number * 10 + (unsigned int)(word[i] - '0');
	return i;
}

/* ---- expressions ---- */

bool text_number(struct text *t, int64_t *value)
{
	unsigned int base = 10, digit;
	uint64_t sum = 0;

	if (!is_digit(text_peek(t)))
		return false;
	if (text_accept(t, '0'))
		base = text_accept(t, 'x') || text_accept(t, 'X') ? 16 : 8;
	for (;; t->at++) {
		char c = text_peek(t);

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

/*
 * Read a symbol's address, or for name@GOTOFF its distance from the table whose address is in a
 * register of position-independent i386 code. Only the linker knows addresses in that table
 * (name@GOTPCREL).
 */
static bool read_symbol(struct text *t, int64_t *value)
{
	static const char got[] = "_GLOBAL_OFFSET_TABLE_";
	uint64_t address = 0, table = 0;
	const char *name, *suffix;
	size_t len = text_word(t, &name);

	if (!len || !t->symbol || !t->symbol(t->context, name, len, &address))
		return false;
	if (text_accept(t, '@')) {
		len = text_word(t, &suffix);
		if (!text_is(suffix, len, "GOTOFF") ||
		    !t->symbol(t->context, got, sizeof(got) - 1, &table))
			return false;
	}
	*value = (int64_t)(address - table);
	return true;
}

/* Read terms separated by + and -. Set *symbols to the number of symbols among them. */
bool text_expression(struct text *t, int64_t *value, unsigned int *symbols)
{
	bool negative = text_accept(t, '-');
	int64_t term;

	*value = 0;
	*symbols = 0;
	for (;;) {
		if (!text_number(t, &term)) {
			if (!read_symbol(t, &term))
				return false;
			++*symbols;
		}
		*value = (int64_t)(negative ? (uint64_t)*value - (uint64_t)term
					    : (uint64_t)*value + (uint64_t)term);
		negative = text_peek(t) == '-';
		if (!text_accept(t, '+') && !text_accept(t, '-'))
			return true;
	}
}

/* ---- arguments ---- */

/* Compilers write constants sign-extended from any size. Convert to the argument's type. */
void operand_constant(dof_argloc_t *loc)
{
	unsigned int unused = 64 - 8 * loc->al_size;
	uint64_t value = (uint64_t)loc->al_disp << unused;

	loc->al_disp = loc->al_flags & DOF_LOCF_SIGNED ? (int64_t)value >> unused
						       : (int64_t)(value >> unused);
}

size_t operand_decode(const struct operands *machine, const uint8_t *in, size_t len, uint64_t addr,
		      dof_argloc_t *loc)
{
	return machine->decode ? machine->decode(in, len, addr, machine->bits, loc) : 0;
}

/* Read "-4@" or "8f@"; nothing if the register determines the size. */
static bool read_size(struct text *t, dof_argloc_t *loc)
{
	const char *start = t->at;
	bool negative = text_accept(t, '-'), real;
	int64_t size;

	if (text_number(t, &size)) {
		real = text_accept(t, 'f');
		if (text_accept(t, '@')) {
			loc->al_size = (uint8_t)size;
			loc->al_flags =
				(negative ? DOF_LOCF_SIGNED : 0) | (real ? DOF_LOCF_FLOAT : 0);
			return size == 1 || size == 2 || size == 4 || size == 8;
		}
	}
	t->at = start;
	return true;
}

/* Skip to the end of the argument after an error. Blanks in brackets belong to the argument. */
static void skip_argument(struct text *t, const char *start)
{
	bool brackets = false;

	for (t->at = start; t->at < t->end && *t->at && (*t->at != ' ' || brackets); t->at++) {
		if (*t->at == '[' || *t->at == ']')
			brackets = *t->at == '[';
	}
}

static bool size_valid(unsigned int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

size_t operand_text(const struct operands *machine, const char *in, size_t len,
		    operand_symbol *symbol, void *context, dof_argloc_t *loc)
{
	static const dof_argloc_t nowhere = {.al_kind = DOF_LOC_NONE,
					     .al_base = DOF_REG_NONE,
					     .al_index = DOF_REG_NONE,
					     .al_scale = 1};
	struct text t = {in, in + len, symbol, context};
	const char *start;
	uint8_t size;

	while (text_accept(&t, ' '))
		;
	if (!text_peek(&t))
		return 0;
	start = t.at;
	*loc = nowhere;
	if (!read_size(&t, loc) || !machine->parse(&t, machine->bits, loc) ||
	    (text_peek(&t) && text_peek(&t) != ' ')) {
		size = loc->al_size;
		*loc = nowhere;
		loc->al_size = size;
	}
	if (!size_valid(loc->al_size))
		loc->al_size = (uint8_t)(machine->bits / 8);
	if (loc->al_kind == DOF_LOC_CONST)
		operand_constant(loc);
	skip_argument(&t, start);
	return (size_t)(t.at - in);
}
