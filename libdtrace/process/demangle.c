/* SPDX-License-Identifier: MIT */
/* demangle.c - names of functions as people write them in C++, Rust and D, by libbfd. */
#define PACKAGE "dtrace"	/* bfd.h wants to see config.h */
#include <bfd.h>
#include <string.h>
#include "process.h"

#define WITH_PARAMETERS	3	/* DMGL_PARAMS and DMGL_ANSI of binutils, which installs no header of them */

char *dt_demangle(const char *name)
{
	char *plain = name[0] == '_' ? bfd_demangle(NULL, name, WITH_PARAMETERS) : NULL;

	return plain != NULL ? plain : strdup(name);
}
