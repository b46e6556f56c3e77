/* SPDX-License-Identifier: MIT */
/*
 * stacks.c - makes jstack() see the frames of Python in an unmodified python3: preloaded
 * (LD_PRELOAD=dtrace_stacks.so) or imported (import dtrace_stacks).
 *
 * Nothing is done when a function is called: the interpreter has its stack in memory anyway, and
 * helper.d reads it. What D cannot do is to find the line of an instruction in the tables of a code
 * object, which have to be read from the beginning. So each code object gets a table of its lines
 * when its module is executed, of which an audit hook is told.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "lines.h"

/* In a program without Python they are not there, and nothing happens. */
#pragma weak PySys_AddAuditHook
#pragma weak Py_GetVersion
#pragma weak PyThreadState_Get
#pragma weak PyInterpreterState_Get
#pragma weak PyInterpreterState_Main
#pragma weak PyInterpreterState_Head
#pragma weak _PyEval_RequestCodeExtraIndex
#pragma weak _PyRuntime
#pragma weak PyCode_Type
#pragma weak PyFunction_Type
#pragma weak PyImport_ImportModule
#pragma weak PyModule_Create2
#pragma weak _PyObject_CallMethod_SizeT
#pragma weak _Py_Dealloc

/* The memory that helper.d finds at arg3. */
__attribute__((visibility("hidden"))) struct {
	uint64_t runtime; /* address of the interpreter's variables; 0: not known yet */
	uint64_t extra;	  /* index of our table in those that a code object has */
} dtrace_helper_data;

/* Declared in headers that are not for us. */
extern char _PyRuntime[];

static bool declined; /* this Python is not what this was compiled for */

/* Return whether the interpreter's variables look as they did when this was compiled. */
static bool runtime_known(void)
{
	const char *runtime = _PyRuntime;
	void *head = *(void **)(runtime + RUNTIME_INTERPRETERS);
	void *current = *(void **)(runtime + RUNTIME_CURRENT);

	return head == PyInterpreterState_Head() && current == PyThreadState_Get() &&
	       *(void **)((char *)head + INTERPRETER_THREADS);
}

/* The first event after the interpreter has begun: from now on stacks can be read. */
static void begin(void)
{
	Py_ssize_t index;

	declined = !runtime_known();
	index = declined ? -1 : _PyEval_RequestCodeExtraIndex(lines_free);
	if (index < 0)
		return;
	dtrace_helper_data.extra = index;
	__atomic_store_n(&dtrace_helper_data.runtime, (uintptr_t)_PyRuntime, __ATOMIC_RELEASE);
}

/* Tables for a code object and all that it contains. The indices are those of one interpreter. */
static void prepare(PyObject *code)
{
	if (PyInterpreterState_Get() != PyInterpreterState_Main())
		return;
	if (!dtrace_helper_data.runtime && !declined)
		begin();
	if (dtrace_helper_data.runtime)
		lines_prepare((PyCodeObject *)code, dtrace_helper_data.extra);
}

static int audit(const char *event, PyObject *args, void *Py_UNUSED(data))
{
	if (!strcmp(event, "exec") && PyTuple_GET_SIZE(args) == 1 &&
	    PyCode_Check(PyTuple_GET_ITEM(args, 0)))
		prepare(PyTuple_GET_ITEM(args, 0));
	return 0;
}

#define VERSION_TEXT(major, minor)  VERSION_TEXT2(major, minor)
#define VERSION_TEXT2(major, minor) #major "." #minor "."

/* Before main() of an interpreter, or in an import. */
__attribute__((constructor)) static void start(void)
{
	static const char version[] = VERSION_TEXT(PY_MAJOR_VERSION, PY_MINOR_VERSION);

	if (PySys_AddAuditHook && Py_GetVersion &&
	    !strncmp(Py_GetVersion(), version, sizeof version - 1))
		PySys_AddAuditHook(audit, NULL);
}

/* ---- the module ---- */

/* Note what was there before the import: every function that the collector knows. */
static int prepare_functions(void)
{
	PyObject *gc = PyImport_ImportModule("gc");
	PyObject *objects = gc ? PyObject_CallMethod(gc, "get_objects", NULL) : NULL;

	for (Py_ssize_t i = 0; objects && i < PyList_GET_SIZE(objects); i++) {
		PyObject *object = PyList_GET_ITEM(objects, i);

		if (PyFunction_Check(object))
			prepare(PyFunction_GET_CODE(object));
	}
	Py_XDECREF(gc);
	Py_XDECREF(objects);
	return objects ? 0 : -1;
}

static struct PyModuleDef module_def = {
	PyModuleDef_HEAD_INIT,
	.m_name = "dtrace_stacks",
	.m_doc = "Being imported it makes jstack() of dtrace see the frames of Python.",
	.m_size = -1,
};

PyMODINIT_FUNC PyInit_dtrace_stacks(void)
{
	PyObject *module = PyModule_Create(&module_def);

	if (module && prepare_functions())
		Py_CLEAR(module);
	return module;
}
