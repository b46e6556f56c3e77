/* SPDX-License-Identifier: MIT */
/* words.h - a library that takes lines apart. */
#ifndef WORDS_H
#define WORDS_H

#include <stdio.h>

struct words {
	int lines;
	unsigned long words, letters;
};

/* words_read - count what a file has until its end. */
struct words words_read(FILE *fp);

#endif
