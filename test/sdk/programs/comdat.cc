// SPDX-License-Identifier: MIT
// comdat.cc - see comdat.h; comdat_other.cc is the other file.
#include "comdat.h"

int main()
{
	volatile int zero = 0;

	fire_enable();
	shared(1 + zero);
	generic(2 + zero);
	printf("%d\n", other());
	return 0;
}
