/* SPDX-License-Identifier: MIT */
/* library.d - the probes of the library. */
provider library {
	probe part(int n);
};
