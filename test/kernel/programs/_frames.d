/* SPDX-License-Identifier: MIT */
/* The probe at the top of the stacks that frames.c builds, and one for addresses. */
provider frames {
	probe at(int);
	probe address(uintptr_t);
};
