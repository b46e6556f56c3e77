// SPDX-License-Identifier: MIT
/*
 * libdir.c - the folder of files that are installed with the library, found from the library's own
 * path.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libdir.h"

/* The D library that is always there: a folder of that name alone could be anything. */
#define LANDMARK "errno.d"

char *libdir_find(void)
{
	Dl_info library;
	const char *slash;
	char *found;

	if (!dladdr((void *)libdir_find, &library) || !library.dli_fname)
		return strdup(DT_LIBDIR);
	slash = strrchr(library.dli_fname, '/');
	if (!slash)
		return strdup(DT_LIBDIR);
	if (asprintf(&found, "%.*s/dtrace/" LANDMARK, (int)(slash - library.dli_fname),
		     library.dli_fname) < 0)
		return NULL;
	if (access(found, R_OK)) {
		free(found);
		return strdup(DT_LIBDIR);
	}
	*strrchr(found, '/') = '\0';
	return found;
}
