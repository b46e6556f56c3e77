/* SPDX-License-Identifier: MIT */
/* mapped.c - fire the probes of _mapped.d once. */
#include "mapped_probes.h"

struct item {
	int id;
	long weight;
	const char *name;
};

int main(void)
{
	static char word[] = "word";
	static struct item item = {7, 2, "brick"};

	MAPPED_SWAPPED(3, word);
	MAPPED_REPEATED(4);
	MAPPED_NOTHING(5);
	MAPPED_TRANSLATED(&item, 6);
	return 0;
}
