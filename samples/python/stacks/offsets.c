/* SPDX-License-Identifier: MIT */
/* offsets.c - prints where things are in the structures of this Python: offsets.h, for helper.d. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <stddef.h>
#include <stdio.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>

#define SAY(name, structure, member) printf("#define %s\t%zu\n", name, offsetof(structure, member))

int main(void)
{
	printf("/* offsets.h - where things are in Python %s. Made by offsets.c. */\n", PY_VERSION);
	SAY("RUNTIME_INTERPRETERS", _PyRuntimeState, interpreters.head);
	SAY("RUNTIME_CURRENT", _PyRuntimeState, gilstate.tstate_current);
	SAY("INTERPRETER_NEXT", PyInterpreterState, next);
	SAY("INTERPRETER_THREADS", PyInterpreterState, threads.head);
	SAY("THREAD_NEXT", PyThreadState, next);
	SAY("THREAD_ID", PyThreadState, native_thread_id);
	SAY("THREAD_CFRAME", PyThreadState, cframe);
	SAY("CFRAME_FRAME", _PyCFrame, current_frame);
	SAY("FRAME_CODE", _PyInterpreterFrame, f_code);
	SAY("FRAME_PREVIOUS", _PyInterpreterFrame, previous);
	SAY("FRAME_INSTRUCTION", _PyInterpreterFrame, prev_instr);
	SAY("CODE_NAME", PyCodeObject, co_qualname);
	SAY("CODE_FILE", PyCodeObject, co_filename);
	SAY("CODE_LINE", PyCodeObject, co_firstlineno);
	SAY("CODE_EXTRA", PyCodeObject, co_extra);
	SAY("CODE_UNITS", PyCodeObject, co_code_adaptive);
	SAY("TEXT_LENGTH", PyASCIIObject, length);
	SAY("TEXT_STATE", PyASCIIObject, state);
	SAY("TEXT_UTF8_LENGTH", PyCompactUnicodeObject, utf8_length);
	SAY("TEXT_UTF8", PyCompactUnicodeObject, utf8);
	printf("#define TEXT_ASCII\t%zu\n", sizeof(PyASCIIObject));
	return 0;
}
