/* SPDX-License-Identifier: MIT */
/* note.h - SystemTap's notes, section .note.stapsdt: the probe sites that other tools know. */
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

/* What is done with a note; not 0: no more. */
typedef int note_visit(void *context, const struct note *note);

/*
 * note_each - visit the notes in size bytes of a section of a program of the given bits (32, 64).
 * Other notes and damaged ones are passed over. Returns what the last visit did.
 */
int note_each(const void *data, size_t size, int bits, note_visit *visit, void *context);

#endif
