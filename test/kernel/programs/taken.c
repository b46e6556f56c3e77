// SPDX-License-Identifier: MIT
/*
 * taken.c - a probe of SystemTap's header whose provider has the name of the pid provider.
 *
 *	taken UP GO	write the pid to the FIFO UP, wait for a line from GO; fire the probe; end
 */
#include <stdio.h>
#include <sys/sdt.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	FILE *up, *go;

	if (argc != 3)
		return 2;
	up = fopen(argv[1], "w");
	if (!up || fprintf(up, "%d\n", (int)getpid()) < 0 || fclose(up))
		return 1;
	go = fopen(argv[2], "r");
	if (!go || fgetc(go) == EOF)
		return 1;
	DTRACE_PROBE1(pid, hello, argc);
	return 0;
}
