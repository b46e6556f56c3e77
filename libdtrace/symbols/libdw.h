/* SPDX-License-Identifier: MIT */
/* libdw.h - a file and its separate debug information, as libdw finds them. (libdw.c) */
#ifndef DT_LIBDW_H
#define DT_LIBDW_H

#include <elfutils/libdwfl.h>

/*
 * Open a file for libdw. The function takes over fd in any case; -1 is allowed. name is the file's
 * path in its own file system. Return what the caller ends by dwfl_end(), and set *module; or
 * return NULL if libdw cannot read the file.
 */
Dwfl *dt_dwfl_open(int fd, const char *name, Dwfl_Module **module);

#endif
