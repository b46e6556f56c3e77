/* SPDX-License-Identifier: MIT */
/* plt.h - the stubs of a file's procedure linkage table. (plt.c) */
#ifndef DT_PLT_H
#define DT_PLT_H

#include <libelf.h>
#include <stdint.h>

/*
 * Call func with arg for each stub by which a file calls functions of others: its address in the
 * file's own address space, its size, and the function's name, which is valid during the call.
 * x86-64 only.
 */
void dt_plt_walk(Elf *elf, void (*func)(void *arg, uint64_t addr, uint64_t size, const char *name),
		 void *arg);

#endif
