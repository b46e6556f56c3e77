/* SPDX-License-Identifier: MIT */
/* The probe of part/part.c. */
provider elsewhere {
	probe here(int);
};
