/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* port_process.c - what ports have in common that run the engine in a process. */
#include "port.h"

/* Arguments of requests are in the memory of the process. */
int port_copy_in(void *dst, uint64_t from, size_t n)
{
	memcpy(dst, (const void *)(uintptr_t)from, n);
	return 0;
}

int port_copy_out(uint64_t to, const void *src, size_t n)
{
	memcpy((void *)(uintptr_t)to, src, n);
	return 0;
}
