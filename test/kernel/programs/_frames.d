/* SPDX-License-Identifier: MIT */
/* The probe at the top of the stacks that frames.c builds. */
provider frames {
	probe at(int);
};
