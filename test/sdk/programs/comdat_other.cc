// SPDX-License-Identifier: MIT
// comdat_other.cc - see comdat.h.
#include "comdat.h"

int other()
{
	volatile int zero = 0;

	generic(3 + zero);
	return shared(4 + zero);
}
