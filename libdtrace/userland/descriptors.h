/* SPDX-License-Identifier: MIT */
/* descriptors.h - checks in advance that dtrace can open files. (descriptors.c) */
#ifndef DT_USERLAND_DESCRIPTORS_H
#define DT_USERLAND_DESCRIPTORS_H

/*
 * Return 0 if dtrace can open n more files at a time; else -EMFILE or -ENFILE. Without this check,
 * a file that cannot be opened looks like one that is missing, as that of an ended process.
 */
int dt_descriptors_check(unsigned int n);

#endif
