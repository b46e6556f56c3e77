/* SPDX-License-Identifier: MIT */
/* simple.d - the probes of the sample, for dtrace -G. */
provider simple {
	probe saw__line(int);
	probe saw__word(int);
};
