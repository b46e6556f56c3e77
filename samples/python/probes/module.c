/* SPDX-License-Identifier: MIT */
/*
 * module.c - the module dtrace. All that it has is in its state, so that each interpreter of a
 * process has its own.
 */
#include "binding.h"

static PyTypeObject *add_type(PyObject *module, PyType_Spec *spec)
{
	PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);

	if (type && PyModule_AddType(module, (PyTypeObject *)type))
		Py_CLEAR(type);
	return (PyTypeObject *)type;
}

static int module_exec(PyObject *module)
{
	struct state *state = PyModule_GetState(module);

	state->provider_type = add_type(module, &provider_spec);
	state->probe_type = add_type(module, &probe_spec);
	return state->provider_type && state->probe_type ? 0 : -1;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
	struct state *state = PyModule_GetState(module);

	Py_VISIT(state->provider_type);
	Py_VISIT(state->probe_type);
	return 0;
}

static int module_clear(PyObject *module)
{
	struct state *state = PyModule_GetState(module);

	Py_CLEAR(state->provider_type);
	Py_CLEAR(state->probe_type);
	return 0;
}

static PyModuleDef_Slot slots[] = {
	{Py_mod_exec, module_exec},
#ifdef Py_mod_multiple_interpreters
	{Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
	{0},
};

PyDoc_STRVAR(module_doc,
	     "Probes for DTrace that a script makes while it runs.\n\n"
	     "    provider = dtrace.Provider('app')\n"
	     "    request = provider.add_probe('request', str, int)\n"
	     "    provider.enable()\n"
	     "    request.fire('/index.html', 200)\n\n"
	     "    # dtrace -n 'app*:::request { printf(\"%s %d\", copyinstr(arg0), arg1); }'");

static struct PyModuleDef module_def = {
	PyModuleDef_HEAD_INIT,		.m_name = "dtrace", .m_doc = module_doc,
	.m_size = sizeof(struct state), .m_slots = slots,   .m_traverse = module_traverse,
	.m_clear = module_clear,
};

PyMODINIT_FUNC PyInit_dtrace(void)
{
	return PyModuleDef_Init(&module_def);
}
