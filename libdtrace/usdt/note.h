/* SPDX-License-Identifier: MIT */
/* note.h - SystemTap's notes in section .note.stapsdt, by which other tools find probe sites. */
#ifndef DT_USDT_NOTE_H
#define DT_USDT_NOTE_H

#include <stddef.h>
#include <stdint.h>

#define NOTE_SECTION	  ".note.stapsdt"
#define NOTE_BASE_SECTION ".stapsdt.base"
#define NOTE_BASE_SYMBOL  "_.stapsdt.base"
#define NOTE_OWNER	  "stapsdt"
#define NOTE_TYPE	  3

struct note {
	size_t at;	    /* of pc in the section; semaphore is two addresses behind it */
	uint64_t pc;	    /* of the NOP */
	uint64_t base;	    /* where the linker has put section .stapsdt.base */
	uint64_t semaphore; /* 0: none */
	const char *provider;
	const char *name; /* with __ */
	const char *args; /* text */
};

/* A function that is called for each note. A result other than 0 ends the iteration. */
typedef int note_visit(void *context, const struct note *note);

/*
 * Visit the notes in size bytes of a section of a 32-bit or 64-bit program. Other notes and damaged
 * ones are skipped. Return the result of the last visit.
 */
int note_each(const void *data, size_t size, int bits, note_visit *visit, void *context);

#endif
