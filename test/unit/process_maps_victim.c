/* SPDX-License-Identifier: MIT */
/* process_maps_victim.c - executes another program, and tells it to execute this one. */
#include <unistd.h>

int main(int argc, char **argv)
{
	char *next[] = {argv[argc - 1], argv[0], NULL};

	return argc == 2 && execv(next[0], next);
}
