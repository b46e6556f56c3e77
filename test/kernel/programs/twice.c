// SPDX-License-Identifier: MIT
/*
 * twice.c - one library, loaded twice by dlmopen: one file is mapped at two addresses.
 *
 *	twice LIBRARY UP GO	load it, write the pid to FIFO UP, wait for a line from GO; fire
 *				plug:::hit(1), (2) in the first copy, (1), (2), (3) in the other,
 *				and when that is unloaded (1) in the first
 */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

typedef void plug_fire(int n);

static plug_fire *load(const char *path, void **handle)
{
	*handle = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
	if (!*handle)
		fprintf(stderr, "twice: %s\n", dlerror());
	return *handle ? (plug_fire *)dlsym(*handle, "plug_fire") : NULL;
}

int main(int argc, char **argv)
{
	plug_fire *first, *second;
	void *one, *two;
	char line[8];
	FILE *fp;

	if (argc != 4)
		return 2;
	first = load(argv[1], &one);
	second = load(argv[1], &two);
	if (!first || !second || first == second)
		return 3;
	fp = fopen(argv[2], "w");
	if (!fp)
		return 3;
	fprintf(fp, "%d\n", getpid());
	fclose(fp);
	fp = fopen(argv[3], "r");
	if (!fp || !fgets(line, sizeof(line), fp))
		return 3;
	first(2);
	second(3);
	dlclose(two);
	first(1);
	return 0;
}
