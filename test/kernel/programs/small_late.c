/* SPDX-License-Identifier: MIT */
/* small_late.c - does as small.c, by a library that it loads first. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = dlopen("libsmall.so", RTLD_NOW);
	int (*small)(int argc, char **argv) =
		library ? (int (*)(int, char **))dlsym(library, "small_main") : NULL;

	if (!small) {
		puts(dlerror());
		return 1;
	}
	return small(argc, argv);
}
