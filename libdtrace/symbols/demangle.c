/* SPDX-License-Identifier: MIT */
/* demangle.c - names of functions as in the sources of C++, Rust and D, by libbfd. */
#define PACKAGE "dtrace" /* bfd.h requires it in place of config.h */
#include <bfd.h>
#include <stdlib.h>
#include <string.h>
#include "function.h"
#include "symtab.h"

/*
 * DMGL_PARAMS, DMGL_ANSI and DMGL_RET_DROP of binutils, which installs no header with them: names
 * have parameters, and those of templates no type of the result, as other functions have none.
 */
#define PARTS (1 | 2 | 64)

char *dt_demangle(const char *name)
{
	char *plain = name[0] == '_' ? bfd_demangle(NULL, name, PARTS) : NULL;

	return plain ? plain : strdup(name);
}

void dt_site_function(const char *symbol, char *name, size_t size)
{
	char *plain = symbol[0] == '_' ? dt_demangle(symbol) : NULL;

	function_name(plain ? plain : symbol, name, size);
	if (*name && strcmp(name, symbol) == 0)
		name[1 + strcspn(name + 1, ".")] = '\0';
	free(plain);
}
