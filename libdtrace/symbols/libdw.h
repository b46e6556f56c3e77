/* SPDX-License-Identifier: MIT */
/* libdw.h - a file and its separate debug information, as libdw finds them. (libdw.c) */
#ifndef DT_LIBDW_H
#define DT_LIBDW_H

#include <elfutils/libdwfl.h>

/*
 * dt_dwfl_open - the file open as fd, which is taken over in any case; -1: none. name: what it is
 * called in its own file system. NULL: libdw cannot read it; else *module is it, for dwfl_end to end.
 */
Dwfl *dt_dwfl_open(int fd, const char *name, Dwfl_Module **module);

#endif
