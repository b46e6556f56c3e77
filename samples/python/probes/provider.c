/* SPDX-License-Identifier: MIT */
/* provider.c - the type Provider: makes probes and shows them to dtrace. */
#include <errno.h>
#include "binding.h"

struct provider {
	PyObject_HEAD struct source *source;
	PyObject *name, *module, *probes; /* str, str, list */
};

void source_release(struct source *source)
{
	if (--source->users)
		return;
	dtp_provider_destroy(source->provider);
	PyMem_Free(source);
}

static void set_error(const char *name, const char *module)
{
	if (errno == EINVAL)
		PyErr_Format(PyExc_ValueError,
			     "provider %s of module %s: a provider's name is letters, digits and "
			     "underscores, at most 52, no digit first or last; a module's at most "
			     "63 printable characters without blanks and colons",
			     name, module);
	else
		PyErr_NoMemory();
}

/* NULL with an exception. */
static struct source *source_create(const char *name, const char *module)
{
	struct source *source = PyMem_Calloc(1, sizeof *source);

	if (!source)
		return (struct source *)PyErr_NoMemory();
	source->users = 1;
	source->provider = dtp_provider_create(name, module);
	if (source->provider)
		return source;
	set_error(name, module);
	PyMem_Free(source);
	return NULL;
}

static bool provider_make(struct provider *self, const char *name, const char *module)
{
	self->source = source_create(name, module);
	if (!self->source)
		return false;
	self->name = PyUnicode_FromString(name);
	self->module = PyUnicode_FromString(module);
	self->probes = PyList_New(0);
	return self->name && self->module && self->probes;
}

static PyObject *provider_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
	static char *words[] = {"name", "module", NULL};
	const char *name, *module = "python";
	struct provider *self;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "s|s:Provider", words, &name, &module))
		return NULL;
	self = (struct provider *)type->tp_alloc(type, 0);
	if (!self || provider_make(self, name, module))
		return (PyObject *)self;
	Py_DECREF(self);
	return NULL;
}

/* Disable its probes, also those to which there are still references. */
static void end_probes(PyObject *probes)
{
	for (Py_ssize_t i = 0; i < PyList_GET_SIZE(probes); i++)
		probe_end(PyList_GET_ITEM(probes, i));
}

/*
 * All in one go, then one after the other. The lock of the interpreter is kept, here and where
 * probes end: who gives it up at the end of the program does not get it back.
 */
static void provider_dealloc(PyObject *object)
{
	struct provider *self = (struct provider *)object;
	PyTypeObject *type = Py_TYPE(object);

	if (self->source)
		dtp_provider_disable(self->source->provider);
	if (self->probes)
		end_probes(self->probes);
	Py_XDECREF(self->probes);
	Py_XDECREF(self->name);
	Py_XDECREF(self->module);
	if (self->source)
		source_release(self->source);
	type->tp_free(object);
	Py_DECREF(type);
}

/* The only keyword of add_probe(); NULL with an exception. */
static const char *function_keyword(PyObject *keywords)
{
	PyObject *word, *value;
	Py_ssize_t at = 0;

	if (!keywords || !PyDict_GET_SIZE(keywords))
		return "script";
	while (PyDict_Next(keywords, &at, &word, &value))
		if (PyUnicode_CompareWithASCIIString(word, "function"))
			return (const char *)PyErr_Format(
				PyExc_TypeError,
				"add_probe() got an unexpected keyword argument %R", word);
	if (PyUnicode_Check(value))
		return PyUnicode_AsUTF8(value);
	return (const char *)PyErr_Format(PyExc_TypeError, "function is str, not %.80s",
					  Py_TYPE(value)->tp_name);
}

static PyObject *add_probe(struct provider *self, PyObject *name, const char *function,
			   PyObject *types)
{
	struct state *state = PyType_GetModuleState(Py_TYPE(self));
	const char *text = PyUnicode_AsUTF8(name);
	PyObject *probe;

	if (!text)
		return NULL;
	probe = probe_new(state->probe_type, self->source, text, function, types);
	if (probe && PyList_Append(self->probes, probe))
		Py_CLEAR(probe);
	return probe;
}

PyDoc_STRVAR(add_probe_doc,
	     "add_probe(name, /, *types, function='script')\n--\n\n"
	     "Make a Probe, which enable() will show to dtrace.\n\n"
	     "A type is int, str or bytes, or the name of a type of C: 'int8_t' ... 'uint64_t',\n"
	     "'char *' for str or bytes. At most 32. The probe belongs to the provider, and lives\n"
	     "until remove(), or as long as the provider does.");

static PyObject *provider_add_probe(PyObject *self, PyObject *args, PyObject *keywords)
{
	const char *function = function_keyword(keywords);
	PyObject *types, *probe;

	if (!function)
		return NULL;
	if (!PyTuple_GET_SIZE(args) || !PyUnicode_Check(PyTuple_GET_ITEM(args, 0))) {
		PyErr_SetString(PyExc_TypeError, "add_probe() takes a name (str), then types");
		return NULL;
	}
	types = PyTuple_GetSlice(args, 1, PyTuple_GET_SIZE(args));
	if (!types)
		return NULL;
	probe = add_probe((struct provider *)self, PyTuple_GET_ITEM(args, 0), function, types);
	Py_DECREF(types);
	return probe;
}

/* Where the probe is in the list of this provider, or -1. */
static Py_ssize_t find_probe(const struct provider *self, PyObject *probe)
{
	for (Py_ssize_t i = 0; i < PyList_GET_SIZE(self->probes); i++)
		if (PyList_GET_ITEM(self->probes, i) == probe)
			return i;
	return -1;
}

PyDoc_STRVAR(remove_doc, "remove($self, probe, /)\n--\n\n"
			 "Hide a probe for good. It may still be fired; nothing happens then.");

static PyObject *provider_remove(PyObject *object, PyObject *probe)
{
	struct provider *self = (struct provider *)object;
	Py_ssize_t at = find_probe(self, probe);

	if (at < 0)
		return PyErr_Format(PyExc_ValueError, "%R is no probe of this provider", probe);
	Py_INCREF(probe);
	if (PyList_SetSlice(self->probes, at, at + 1, NULL)) {
		Py_DECREF(probe);
		return NULL;
	}
	probe_end(probe);
	Py_DECREF(probe);
	Py_RETURN_NONE;
}

static bool absent(int error)
{
	return error == ENOENT || error == ENODEV || error == EACCES || error == ECANCELED;
}

PyDoc_STRVAR(
	enable_doc,
	"enable($self, /)\n--\n\n"
	"Let dtrace see the probes that have been added; call it again after adding more.\n\n"
	"Returns True, or False if that cannot be here: DTRACE_DOF_INIT_DISABLE is set, or there\n"
	"is no dtrace for this machine. The probes are never enabled then. OSError: the system\n"
	"refuses memory for them, or the module does, and /proc/dtrace/helper_errors says why.");

static PyObject *provider_enable(PyObject *object, PyObject *Py_UNUSED(none))
{
	dtp_provider_t *provider = ((struct provider *)object)->source->provider;
	int result;

	Py_BEGIN_ALLOW_THREADS result = dtp_provider_enable(provider);
	Py_END_ALLOW_THREADS if (result && !absent(errno)) return PyErr_SetFromErrno(PyExc_OSError);
	return PyBool_FromLong(!result);
}

PyDoc_STRVAR(disable_doc,
	     "disable($self, /)\n--\n\n"
	     "Hide all probes; enable() shows them again. OSError: the module cannot be reached.");

static PyObject *provider_disable(PyObject *object, PyObject *Py_UNUSED(none))
{
	dtp_provider_t *provider = ((struct provider *)object)->source->provider;
	int result;

	Py_BEGIN_ALLOW_THREADS result = dtp_provider_disable(provider);
	Py_END_ALLOW_THREADS if (result) return PyErr_SetFromErrno(PyExc_OSError);
	Py_RETURN_NONE;
}

static PyObject *provider_probes(PyObject *self, void *Py_UNUSED(closure))
{
	return PyList_AsTuple(((struct provider *)self)->probes);
}

static PyObject *provider_name(PyObject *self, void *Py_UNUSED(closure))
{
	return Py_NewRef(((struct provider *)self)->name);
}

static PyObject *provider_module(PyObject *self, void *Py_UNUSED(closure))
{
	return Py_NewRef(((struct provider *)self)->module);
}

static PyObject *provider_repr(PyObject *object)
{
	const struct provider *self = (struct provider *)object;

	return PyUnicode_FromFormat("<dtrace.Provider %U, module %U, %zd probes>", self->name,
				    self->module, PyList_GET_SIZE(self->probes));
}

static PyMethodDef methods[] = {
	{"add_probe", (PyCFunction)(void (*)(void))provider_add_probe, METH_VARARGS | METH_KEYWORDS,
	 add_probe_doc},
	{"remove", provider_remove, METH_O, remove_doc},
	{"enable", provider_enable, METH_NOARGS, enable_doc},
	{"disable", provider_disable, METH_NOARGS, disable_doc},
	{0},
};

static PyGetSetDef members[] = {
	{"probes", provider_probes, NULL, "Its probes, a tuple.", NULL},
	{"name", provider_name, NULL, "Its name; dtrace adds the number of the process.", NULL},
	{"module", provider_module, NULL, "The module of its probes.", NULL},
	{0},
};

PyDoc_STRVAR(provider_doc,
	     "Provider(name, module='python')\n--\n\n"
	     "Probes that a script makes and dtrace can see.\n\n"
	     "dtrace adds the number of the process to the name: letters, digits and underscores,\n"
	     "no digit first or last, at most 52. When the object goes, so do its probes.");

static PyType_Slot slots[] = {
	{Py_tp_doc, (void *)provider_doc},
	{Py_tp_new, provider_new},
	{Py_tp_dealloc, provider_dealloc},
	{Py_tp_repr, provider_repr},
	{Py_tp_methods, methods},
	{Py_tp_getset, members},
	{0},
};

PyType_Spec provider_spec = {
	.name = "dtrace.Provider",
	.basicsize = sizeof(struct provider),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
	.slots = slots,
};
