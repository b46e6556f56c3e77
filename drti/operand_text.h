/* SPDX-License-Identifier: MIT */
/* operand_text.h - parts of notes' text on every machine: words, numbers, symbols. */
#ifndef DRTI_OPERAND_TEXT_H
#define DRTI_OPERAND_TEXT_H

#include "operand.h"

/* A text that is being read; the parser never reads past its end. */
struct text {
	const char *at, *end;
	operand_symbol *symbol;
	void *context;
};

/* Return the next character, or NUL at the end. */
char text_peek(const struct text *t);
/* If the next character is c, skip it and return true. */
bool text_accept(struct text *t, char c);

/* Skip letters, digits and "_.$". Return their number. */
size_t text_word(struct text *t, const char **word);
/* Return whether a word of len characters equals name. */
bool text_is(const char *word, size_t len, const char *name);
/* Parse up to three digits at the start of a word. Return their number. */
size_t text_digits(const char *word, size_t len, unsigned int *number);

/* Read an unsigned number in C syntax. Return false if there is none. */
bool text_number(struct text *t, int64_t *value);
/* Read numbers and symbols separated by + and -. Set *symbols to the number of symbols. */
bool text_expression(struct text *t, int64_t *value, unsigned int *symbols);

/* Read an operand of x86-64 or i386: the parse function of struct operands. */
bool operand_x86_parse(struct text *t, int bits, dof_argloc_t *loc);
/*
 * Make loc, a register of a 32-bit process, the pair that holds 8 bytes. Return false if there is
 * none.
 */
bool operand_x86_pair(dof_argloc_t *loc);

#endif
