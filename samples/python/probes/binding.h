/* SPDX-License-Identifier: MIT */
/* binding.h - what the parts of the module dtrace share: kinds of arguments, and the two types. */
#ifndef BINDING_H
#define BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <dtrace-probes.h>

/* The types that an argument of a probe may have; rows of a table that never changes. */
struct kind {
	const char *word;    /* how scripts say it: a name of C, or of a type of Python */
	const char *type;    /* what dtrace is told */
	const char *accepts; /* "int", "str", "bytes" or "str or bytes" */
	unsigned char bits;  /* of an integer; else 0 */
	bool negative;	     /* whether it has a sign */
};

/* The kind that a script means by the object `type`; NULL with TypeError or ValueError. */
const struct kind *kind_find(PyObject *type);

/* Return whether `value` may be such an argument; if not, TypeError gives its number. */
bool kind_check(const struct kind *kind, PyObject *value, Py_ssize_t index);

/*
 * What dtrace sees of `value`, which has been checked. A string that has to be translated first is
 * put into *temporary, to be released after the firing. No exception: what cannot be had is 0.
 */
uint64_t kind_convert(const struct kind *kind, PyObject *value, PyObject **temporary);

/* A provider of the library, which its Provider and all its Probes keep. */
struct source {
	dtp_provider_t *provider;
	Py_ssize_t users;
};

/* One user less; the last one destroys it. */
void source_release(struct source *source);

/* The module's state. */
struct state {
	PyTypeObject *provider_type, *probe_type;
};

extern PyType_Spec provider_spec, probe_spec;

/*
 * Make a Probe: name and function as for dtp_probe_add(), types a tuple of what kind_find() takes.
 * NULL with an exception.
 */
PyObject *probe_new(PyTypeObject *type, struct source *source, const char *name,
		    const char *function, PyObject *types);

/* Hide a Probe for good and free what the library has of it. */
void probe_end(PyObject *probe);

#endif
