/* SPDX-License-Identifier: MIT */
/*
 * noted.c - a program with SystemTap's header, not this project's: noted tell FIFO wait FIFO. Its
 * sites are one-byte NOPs, and nothing registers them.
 */
#define _SDT_HAS_SEMAPHORES 1
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/sdt.h>

#ifdef _DTRACE_ENABLED
#error "this has to be compiled with SystemTap's sys/sdt.h"
#endif

unsigned short noted_guarded_semaphore __attribute__((section(".probes")));
unsigned short noted_plain_semaphore __attribute__((section(".probes")));
int global = 41;
static long table[4] = {1, 2, 3, 4};

static FILE *file(const char *name, const char *mode)
{
	FILE *fp = fopen(name, mode);

	if (!fp)
		exit(1);
	return fp;
}

static __attribute__((noinline)) void fire(int number, const char *text, long index)
{
	STAP_PROBE6(noted, plain, number, text, 12, global, table[index], (char)number);
	if (noted_guarded_semaphore)
		STAP_PROBE1(noted, guarded, -number);
}

int main(int argc, char **argv)
{
	FILE *fp;

	if (argc != 5)
		return 2;
	fp = file(argv[2], "w");
	fprintf(fp, "%d\n", getpid());
	fclose(fp);
	fp = file(argv[4], "r");
	fgetc(fp);
	fclose(fp);
	fire(-7, argv[0], 2);
	fire(200, argv[0], 3);
	return 0;
}
