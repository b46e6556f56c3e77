/* SPDX-License-Identifier: MIT */
/* operand_text.h - what the texts of notes consist of on every machine: words, numbers, symbols. */
#ifndef DRTI_OPERAND_TEXT_H
#define DRTI_OPERAND_TEXT_H

#include "operand.h"

/* A text that is being read; what follows its end is never looked at. */
struct text {
	const char *at, *end;
	operand_symbol *symbol;
	void *context;
};

/* text_peek - the next character; NUL at the end. text_accept - pass it if it is c. */
char text_peek(const struct text *t);
bool text_accept(struct text *t, char c);

/* text_word - pass letters, digits and "_.$", as many as there are; returns how many. */
size_t text_word(struct text *t, const char **word);
/* text_is - whether a word of len characters is the name. */
bool text_is(const char *word, size_t len, const char *name);
/* text_digits - the number of up to three digits that a word begins with; returns their count. */
size_t text_digits(const char *word, size_t len, unsigned int *number);

/* text_number - pass an unsigned number, as C writes them; false: there is none. */
bool text_number(struct text *t, int64_t *value);
/* text_expression - pass numbers and symbols, with + and - between; *symbols: how many of these. */
bool text_expression(struct text *t, int64_t *value, unsigned int *symbols);

/* operand_x86_place - struct operands' place, of x86-64 and i386. */
bool operand_x86_place(struct text *t, int bits, dof_argloc_t *loc);
/*
 * operand_x86_pair - make loc, a register of a 32-bit process, the pair that holds 8 bytes; false:
 * there is none.
 */
bool operand_x86_pair(dof_argloc_t *loc);

#endif
