/* SPDX-License-Identifier: MIT */
/* modern.d - probes of modern.cc. */
provider modern {
	probe begin(int n);
	probe word(const char *text, int n);
	probe dozen(int, int, int, int, int, int, int, int, int, int, int, int);
};
