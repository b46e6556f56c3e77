/* SPDX-License-Identifier: MIT */
/* vdso.h - the kernel's part of processes, as a file. (vdso.c) */
#ifndef DT_VDSO_H
#define DT_VDSO_H

/*
 * Return a descriptor of a file with the vdso of processes whose addresses have word bytes, 4 or 8;
 * -1 if it cannot be read. The descriptor stays open, and is the same at each call.
 */
int dt_vdso(unsigned int word);

#endif
