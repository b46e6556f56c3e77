/* SPDX-License-Identifier: MIT */
/* probe.c - the type Probe: what a script fires. */
#include <errno.h>
#include "binding.h"

struct probe {
	PyObject_VAR_HEAD dtp_probe_t *probe; /* NULL once it is removed */
	struct source *source;
	PyObject *name, *function;
	const struct kind *kinds[];
};

static void set_error(const char *name, const char *function)
{
	if (errno == EINVAL)
		PyErr_Format(PyExc_ValueError,
			     "probe %s:%s: names are printable ASCII without blanks and colons, at "
			     "most 63 characters, 255 of a function",
			     function, name);
	else if (errno == ENOMEM)
		PyErr_NoMemory();
	else
		PyErr_SetFromErrno(PyExc_OSError);
}

/* Read the types; return false with an exception. */
static bool find_kinds(struct probe *self, PyObject *types, const char **names)
{
	for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
		self->kinds[i] = kind_find(PyTuple_GET_ITEM(types, i));
		if (!self->kinds[i])
			return false;
		names[i] = self->kinds[i]->type;
	}
	return true;
}

static bool probe_make(struct probe *self, const char *name, const char *function, PyObject *types)
{
	const char *names[DTP_MAXARGS];

	if (!find_kinds(self, types, names))
		return false;
	self->name = PyUnicode_FromString(name);
	self->function = PyUnicode_FromString(function);
	if (!self->name || !self->function)
		return false;
	self->probe = dtp_probe_add(self->source->provider, function, name, Py_SIZE(self), names);
	if (!self->probe)
		set_error(name, function);
	return self->probe;
}

PyObject *probe_new(PyTypeObject *type, struct source *source, const char *name,
		    const char *function, PyObject *types)
{
	Py_ssize_t count = PyTuple_GET_SIZE(types);
	struct probe *self;

	if (count > DTP_MAXARGS)
		return PyErr_Format(PyExc_ValueError, "a probe has at most %d arguments, not %zd",
				    DTP_MAXARGS, count);
	self = (struct probe *)type->tp_alloc(type, count);
	if (!self)
		return NULL;
	source->users++;
	self->source = source;
	if (probe_make(self, name, function, types))
		return (PyObject *)self;
	Py_DECREF(self);
	return NULL;
}

void probe_end(PyObject *object)
{
	struct probe *self = (struct probe *)object;
	dtp_probe_t *probe = self->probe;

	self->probe = NULL;
	dtp_probe_free(probe);
}

static void probe_dealloc(PyObject *object)
{
	struct probe *self = (struct probe *)object;
	PyTypeObject *type = Py_TYPE(object);

	probe_end(object);
	source_release(self->source);
	Py_XDECREF(self->name);
	Py_XDECREF(self->function);
	type->tp_free(object);
	Py_DECREF(type);
}

static bool check(const struct probe *self, PyObject *const *values, Py_ssize_t count)
{
	if (count != Py_SIZE(self)) {
		PyErr_Format(PyExc_TypeError, "probe %U has %zd arguments, not %zd", self->name,
			     Py_SIZE(self), count);
		return false;
	}
	for (Py_ssize_t i = 0; i < count; i++)
		if (!kind_check(self->kinds[i], values[i], i))
			return false;
	return true;
}

static bool enabled(const struct probe *self)
{
	return self->probe && dtp_enabled(self->probe);
}

/* Nothing in it runs Python or lets other threads run: the values and the probe stay. */
static void fire(const struct probe *self, PyObject *const *values)
{
	PyObject *temporaries[DTP_MAXARGS];
	uint64_t args[DTP_MAXARGS];

	for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
		temporaries[i] = NULL;
		args[i] = kind_convert(self->kinds[i], values[i], &temporaries[i]);
	}
	dtp_fire(self->probe, args);
	for (Py_ssize_t i = 0; i < Py_SIZE(self); i++)
		Py_XDECREF(temporaries[i]);
}

PyDoc_STRVAR(
	fire_doc,
	"fire($self, /, *args)\n--\n\n"
	"Reach the probe, with a value for each argument.\n\n"
	"The number and types of the values are checked whether somebody traces the probe\n"
	"or not, so that a script does not behave differently when it is traced. An int that\n"
	"is too big for the argument loses its upper bits, as in C. A str is passed in UTF-8,\n"
	"and ends at a NUL for dtrace.");

static PyObject *probe_fire(PyObject *object, PyObject *const *values, Py_ssize_t count)
{
	const struct probe *self = (struct probe *)object;

	if (!check(self, values, count))
		return NULL;
	if (enabled(self))
		fire(self, values);
	Py_RETURN_NONE;
}

/* The values that a function gave: one value, or a tuple of them. False with an exception. */
static bool fire_result(const struct probe *self, PyObject *result)
{
	bool many = PyTuple_Check(result);
	PyObject *const *values = many ? &PyTuple_GET_ITEM(result, 0) : &result;

	if (!check(self, values, many ? PyTuple_GET_SIZE(result) : 1))
		return false;
	if (enabled(self))
		fire(self, values);
	return true;
}

PyDoc_STRVAR(
	fire_with_doc,
	"fire_with($self, function, /)\n--\n\n"
	"Reach the probe with what function() returns: a tuple of values, or the only one.\n\n"
	"The function is called only while somebody traces the probe. Because of that an error\n"
	"in it, or in what it returns, is not raised but passed to sys.unraisablehook.");

static PyObject *probe_fire_with(PyObject *object, PyObject *function)
{
	const struct probe *self = (struct probe *)object;
	PyObject *result;

	if (!PyCallable_Check(function))
		return PyErr_Format(PyExc_TypeError, "fire_with() takes a function, not %.80s",
				    Py_TYPE(function)->tp_name);
	if (!enabled(self))
		Py_RETURN_NONE;
	result = PyObject_CallNoArgs(function);
	if (!result || !fire_result(self, result))
		PyErr_WriteUnraisable(function);
	Py_XDECREF(result);
	Py_RETURN_NONE;
}

static PyObject *probe_enabled(PyObject *self, void *Py_UNUSED(closure))
{
	return PyBool_FromLong(enabled((struct probe *)self));
}

static PyObject *probe_name(PyObject *self, void *Py_UNUSED(closure))
{
	return Py_NewRef(((struct probe *)self)->name);
}

static PyObject *probe_function(PyObject *self, void *Py_UNUSED(closure))
{
	return Py_NewRef(((struct probe *)self)->function);
}

static PyObject *probe_types(PyObject *object, void *Py_UNUSED(closure))
{
	const struct probe *self = (struct probe *)object;
	PyObject *types = PyTuple_New(Py_SIZE(self));

	for (Py_ssize_t i = 0; types && i < Py_SIZE(self); i++) {
		PyObject *word = PyUnicode_FromString(self->kinds[i]->word);

		if (word)
			PyTuple_SET_ITEM(types, i, word);
		else
			Py_CLEAR(types);
	}
	return types;
}

static PyObject *probe_repr(PyObject *object)
{
	const struct probe *self = (struct probe *)object;
	PyObject *types = probe_types(object, NULL), *text;

	if (!types)
		return NULL;
	text = PyUnicode_FromFormat("<dtrace.Probe %U:%U%R%s>", self->function, self->name, types,
				    self->probe ? "" : " removed");
	Py_DECREF(types);
	return text;
}

static PyMethodDef methods[] = {
	{"fire", (PyCFunction)(void (*)(void))probe_fire, METH_FASTCALL, fire_doc},
	{"fire_with", probe_fire_with, METH_O, fire_with_doc},
	{0},
};

static PyGetSetDef members[] = {
	{"enabled", probe_enabled, NULL, "Whether somebody traces the probe.", NULL},
	{"name", probe_name, NULL, "Its name; dtrace shows __ as -.", NULL},
	{"function", probe_function, NULL, "The function that it says it is in.", NULL},
	{"types", probe_types, NULL, "The types of its arguments, as words.", NULL},
	{0},
};

PyDoc_STRVAR(probe_doc,
	     "A probe of a Provider, made by Provider.add_probe().\n\n"
	     "Any thread may fire it at any time. When its provider has gone it does nothing.");

static PyType_Slot slots[] = {
	{Py_tp_doc, (void *)probe_doc}, {Py_tp_dealloc, probe_dealloc}, {Py_tp_repr, probe_repr},
	{Py_tp_methods, methods},	{Py_tp_getset, members},	{0},
};

PyType_Spec probe_spec = {
	.name = "dtrace.Probe",
	.basicsize = sizeof(struct probe),
	.itemsize = sizeof(struct kind *),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = slots,
};
