/* SPDX-License-Identifier: MIT */
/* golang.h - tells whether a process runs code of Go. (golang.c) */
#ifndef DT_USERLAND_GOLANG_H
#define DT_USERLAND_GOLANG_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Return whether a process has mapped an object that Go has linked: its program or a library.
 * memory: descriptor of the memory of the process.
 */
bool dt_golang(pid_t pid, int memory);

#endif
