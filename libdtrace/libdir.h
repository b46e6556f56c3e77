/* SPDX-License-Identifier: MIT */
/* Where what is installed with the library is: D libraries, start-up objects of programs. */
#ifndef _LIBDIR_H
#define _LIBDIR_H

/*
 * The folder `dtrace` beside the library that runs, wherever the installed tree was moved to; or, if
 * there is none (in a build tree), where it is to be installed. The caller frees it; NULL when there is
 * no memory.
 */
char *libdir_find(void);

#endif
