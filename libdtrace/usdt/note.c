/* SPDX-License-Identifier: MIT */
/* note.c - reads SystemTap's notes. */
#include <elf.h>
#include <stdbool.h>
#include <string.h>
#include "note.h"

static uint64_t address(const char *data, size_t at, size_t word)
{
	uint64_t value = 0;

	memcpy(&value, data + at, word);
	return value;
}

/* Return the string at *at, and advance *at past it. Return NULL if it has no end. */
static const char *text(const char *data, size_t *at, size_t end)
{
	const char *start = data + *at, *nul = memchr(start, 0, end - *at);

	if (nul)
		*at = (size_t)(nul - data) + 1;
	return nul ? start : NULL;
}

/* Read the descriptor of a note, from at to end. */
static bool note_read(const char *data, size_t at, size_t end, size_t word, struct note *note)
{
	if (end - at < 3 * word)
		return false;
	*note = (struct note){.at = at,
			      .pc = address(data, at, word),
			      .base = address(data, at + word, word),
			      .semaphore = address(data, at + 2 * word, word)};
	at += 3 * word;
	note->provider = text(data, &at, end);
	note->name = note->provider && at < end ? text(data, &at, end) : NULL;
	note->args = note->name && at < end ? text(data, &at, end) : NULL;
	return note->args;
}

static size_t padded(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

int note_each(const void *data, size_t size, int bits, note_visit *visit, void *context)
{
	const size_t word = (size_t)bits / 8;
	size_t at = 0, name, desc;
	struct note note;
	Elf64_Nhdr header; /* as in 32-bit files */
	int result = 0;

	while (!result && size - at >= sizeof(header)) {
		memcpy(&header, (const char *)data + at, sizeof(header));
		name = at + sizeof(header);
		if (header.n_namesz > size - name || padded(header.n_namesz) > size - name)
			break;
		desc = name + padded(header.n_namesz);
		if (header.n_descsz > size - desc)
			break;
		if (header.n_type == NOTE_TYPE && header.n_namesz == sizeof(NOTE_OWNER) &&
		    !memcmp((const char *)data + name, NOTE_OWNER, sizeof(NOTE_OWNER)) &&
		    note_read(data, desc, desc + header.n_descsz, word, &note))
			result = visit(context, &note);
		at = desc + padded(header.n_descsz) < size ? desc + padded(header.n_descsz) : size;
	}
	return result;
}
