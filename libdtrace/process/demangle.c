/* SPDX-License-Identifier: MIT */
/*
 * demangle.c - C++ names as people write them, by the C++ run time if the machine has one; it is
 * loaded when the first such name is met.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "process.h"

typedef char *demangle_f(const char *mangled, char *out, size_t *len, int *status);

static demangle_f *demangler(void)
{
	static demangle_f *func;
	static bool tried;
	void *lib;

	if (!tried) {
		tried = true;
		lib = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
		if (lib != NULL)
			*(void **)&func = dlsym(lib, "__cxa_demangle");
	}
	return func;
}

char *dt_demangle(const char *name)
{
	demangle_f *func = strncmp(name, "_Z", 2) == 0 ? demangler() : NULL;
	char *plain = NULL;
	int status = -1;

	if (func != NULL)
		plain = func(name, NULL, NULL, &status);
	return status == 0 && plain != NULL ? plain : strdup(name);
}
