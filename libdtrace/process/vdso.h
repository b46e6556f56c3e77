/* SPDX-License-Identifier: MIT */
/* vdso.h - the kernel's part of processes, as a file. (vdso.c) */
#ifndef DT_VDSO_H
#define DT_VDSO_H

/*
 * dt_vdso - a descriptor of a file with the vdso of processes whose addresses have so many bytes, 4 or
 * 8. It stays open, and is the same each time. -1: it is not to be had.
 */
int dt_vdso(unsigned int word);

#endif
