/* SPDX-License-Identifier: MIT */
/* semaphore.c - a program that defines the semaphores itself, as SystemTap's header requires. */
#define _SDT_HAS_SEMAPHORES 1
#include <stdio.h>
#include <sys/sdt.h>
#include "fire.h"

#define SEMAPHORE(name) semaphore_##name##_semaphore __attribute__((__section__(".probes")))

unsigned short SEMAPHORE(global);
#ifndef __cplusplus /* which has another name for it in the assembler */
static volatile
#endif
	unsigned short SEMAPHORE(local) __attribute__((__used__));

static __attribute__((noinline)) void look(int x)
{
	if (__builtin_expect(semaphore_global_semaphore, 0))
		STAP_PROBE1(semaphore, global, x);
	if (semaphore_local_semaphore)
		DTRACE_PROBE1(semaphore, local, x + 1);
	if (DTRACE_PROBE_ENABLED(semaphore, global))
		printf("enabled %d\n", x);
}

int main(void)
{
	look(1);
	fire_enable();
	look(2);
	printf("%u %u\n", semaphore_global_semaphore, semaphore_local_semaphore);
	return 0;
}
