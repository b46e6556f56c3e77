/* SPDX-License-Identifier: MIT */
/*
 * libdir.h - the folder of D libraries and start-up objects that are installed with the library.
 * (libdir.c)
 */
#ifndef _LIBDIR_H
#define _LIBDIR_H

/*
 * Return the folder `dtrace` beside the running library, wherever the installed tree was moved; or,
 * in a build tree, where it will be installed. The caller frees it. NULL without memory.
 */
char *libdir_find(void);

#endif
