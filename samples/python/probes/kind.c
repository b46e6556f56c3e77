/* SPDX-License-Identifier: MIT */
/* kind.c - the kinds of arguments that a probe may have, and how values become numbers. */
#include "binding.h"

static const struct kind kinds[] = {
	{"int", "int64_t", "int", 64, true}, /* the first three: Python's own */
	{"str", "char *", "str", 0, false},
	{"bytes", "char *", "bytes", 0, false},
	{"char *", "char *", "str or bytes", 0, false},
	{"int8_t", "int8_t", "int", 8, true},
	{"int16_t", "int16_t", "int", 16, true},
	{"int32_t", "int32_t", "int", 32, true},
	{"int64_t", "int64_t", "int", 64, true},
	{"uint8_t", "uint8_t", "int", 8, false},
	{"uint16_t", "uint16_t", "int", 16, false},
	{"uint32_t", "uint32_t", "int", 32, false},
	{"uint64_t", "uint64_t", "int", 64, false},
};

static const struct kind *kind_of_word(PyObject *word)
{
	for (size_t i = 3; i < Py_ARRAY_LENGTH(kinds); i++)
		if (!PyUnicode_CompareWithASCIIString(word, kinds[i].word))
			return &kinds[i];
	PyErr_Format(PyExc_ValueError,
		     "unknown type %R: say int, str, bytes, \"char *\", "
		     "\"int8_t\" ... \"uint64_t\"",
		     word);
	return NULL;
}

const struct kind *kind_find(PyObject *type)
{
	if (type == (PyObject *)&PyLong_Type)
		return &kinds[0];
	if (type == (PyObject *)&PyUnicode_Type)
		return &kinds[1];
	if (type == (PyObject *)&PyBytes_Type)
		return &kinds[2];
	if (PyUnicode_Check(type))
		return kind_of_word(type);
	PyErr_Format(PyExc_TypeError,
		     "the type of an argument is int, str, bytes or the name of one of C, not %R",
		     type);
	return NULL;
}

static bool accepts(const struct kind *kind, PyObject *value)
{
	if (kind->bits)
		return PyLong_Check(value);
	return (kind->accepts[0] == 's' && PyUnicode_Check(value)) ||
	       (strstr(kind->accepts, "bytes") && PyBytes_Check(value));
}

bool kind_check(const struct kind *kind, PyObject *value, Py_ssize_t index)
{
	if (accepts(kind, value))
		return true;
	PyErr_Format(PyExc_TypeError, "argument %zd is %s, not %.80s", index, kind->accepts,
		     Py_TYPE(value)->tp_name);
	return false;
}

/* As C converts integers: the lowest bits, then the sign. */
static uint64_t integer_convert(const struct kind *kind, PyObject *value)
{
	uint64_t number = PyLong_AsUnsignedLongLongMask(value);
	unsigned int above = 64 - kind->bits;

	return kind->negative ? (uint64_t)((int64_t)(number << above) >> above)
			      : number << above >> above;
}

/* In UTF-8; what UTF-8 has no form for is written as an escape. */
static const char *text_convert(PyObject *value, PyObject **temporary)
{
	const char *text = PyUnicode_AsUTF8(value);

	if (text)
		return text;
	PyErr_Clear();
	*temporary = PyUnicode_AsEncodedString(value, "utf-8", "backslashreplace");
	if (*temporary)
		return PyBytes_AS_STRING(*temporary);
	PyErr_Clear();
	return NULL;
}

uint64_t kind_convert(const struct kind *kind, PyObject *value, PyObject **temporary)
{
	if (kind->bits)
		return integer_convert(kind, value);
	if (PyBytes_Check(value))
		return (uintptr_t)PyBytes_AS_STRING(value);
	return (uintptr_t)text_convert(value, temporary);
}
