/* SPDX-License-Identifier: MIT */
/* lines.c - reads the location tables of code objects. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include "lines.h"

#pragma weak PyCode_Type
#pragma weak PyUnicode_AsUTF8
#pragma weak PyErr_Clear
#pragma weak _PyCode_GetExtra
#pragma weak _PyCode_SetExtra
#pragma weak PyMem_Calloc

_Static_assert(offsetof(struct lines, first) == LINES_FIRST, "as helper.d has it");
_Static_assert(offsetof(struct lines, count) == LINES_COUNT, "as helper.d has it");
_Static_assert(offsetof(struct lines, beyond) == LINES_BEYOND, "as helper.d has it");

/* An entry of a location table. Its first byte has the upper bit, the others have not. */
#define ENTRY_BEGINS(byte) ((byte)&0x80)
#define ENTRY_CODE(byte)   ((byte) >> 3 & 15)
#define ENTRY_UNITS(byte)  (((byte)&7) + 1)
#define CODE_LINE0	   10 /* 10 to 12: so many lines further */
#define CODE_PLAIN	   13 /* a number of lines, and nothing else */
#define CODE_LONG	   14 /* a number of lines, and columns */

/* A number with its sign in the lowest bit, six bits to the byte, from `at` on. */
static int read_number(const uint8_t *at, const uint8_t *end)
{
	unsigned int number = 0;

	for (unsigned int shift = 0; at < end && shift < 30; shift += 6, at++) {
		number |= (*at & 0x3fu) << shift;
		if (!(*at & 0x40))
			break;
	}
	return number & 1 ? -(int)(number >> 1) : (int)(number >> 1);
}

/* How many lines further the entry is. */
static int entry_lines(const uint8_t *entry, const uint8_t *end)
{
	unsigned int code = ENTRY_CODE(*entry);

	if (code == CODE_PLAIN || code == CODE_LONG)
		return read_number(entry + 1, end);
	return code > CODE_LINE0 && code < CODE_PLAIN ? (int)(code - CODE_LINE0) : 0;
}

/* Code that is too far for the table is said to be in the first line. */
static void fill(struct lines *lines, const uint8_t *entry, const uint8_t *end)
{
	uint32_t unit = 0;
	int beyond = 0;

	while (entry < end) {
		uint32_t stop = unit + ENTRY_UNITS(*entry);

		beyond += entry_lines(entry, end);
		for (; unit < stop && unit < lines->count; unit++)
			lines->beyond[unit] = beyond >= 0 && beyond <= UINT16_MAX ? beyond : 0;
		do
			entry++;
		while (entry < end && !ENTRY_BEGINS(*entry));
	}
}

static struct lines *lines_create(const PyCodeObject *code)
{
	Py_ssize_t count = Py_SIZE(code), bytes = PyBytes_GET_SIZE(code->co_linetable);
	const uint8_t *entry = (const uint8_t *)PyBytes_AS_STRING(code->co_linetable);
	struct lines *lines = calloc(1, sizeof *lines + count * sizeof lines->beyond[0]);

	if (!lines)
		return NULL;
	lines->magic = LINES_MAGIC;
	lines->first = code->co_firstlineno;
	lines->count = count;
	fill(lines, entry, entry + bytes);
	return lines;
}

void lines_free(void *lines)
{
	free(lines);
}

/* The helper reads names in UTF-8. Make Python convert a name that is not ASCII. */
static void prepare_name(PyObject *name)
{
	if (!PyUnicode_IS_ASCII(name) && !PyUnicode_AsUTF8(name))
		PyErr_Clear();
}

/* The extra data of a code object, in Python's layout. */
struct extras {
	Py_ssize_t size;
	void *of[];
};

/*
 * Python makes entries for all users with an index. At the end of the code object it then calls all
 * of them, also those without data, which not all survive at the end of a program. So if there are
 * no entries yet, make them only for this one.
 */
static bool attach(PyCodeObject *code, Py_ssize_t index, struct lines *lines)
{
	struct extras *extras;

	if (code->co_extra)
		return !_PyCode_SetExtra((PyObject *)code, index, lines);
	extras = PyMem_Calloc(1, sizeof *extras + (index + 1) * sizeof extras->of[0]);
	if (!extras)
		return false;
	extras->size = index + 1;
	extras->of[index] = lines;
	code->co_extra = extras;
	return true;
}

/* False if it had a table, or can have none. */
static bool prepare_one(PyCodeObject *code, Py_ssize_t index)
{
	void *lines = NULL;

	if (_PyCode_GetExtra((PyObject *)code, index, &lines) || lines) {
		PyErr_Clear();
		return false;
	}
	prepare_name(code->co_qualname);
	prepare_name(code->co_filename);
	lines = lines_create(code);
	if (lines && attach(code, index, lines))
		return true;
	PyErr_Clear();
	lines_free(lines);
	return false;
}

void lines_prepare(PyCodeObject *code, Py_ssize_t index)
{
	if (!prepare_one(code, index))
		return;
	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); i++) {
		PyObject *constant = PyTuple_GET_ITEM(code->co_consts, i);

		if (PyCode_Check(constant))
			lines_prepare((PyCodeObject *)constant, index);
	}
}
