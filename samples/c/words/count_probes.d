/* SPDX-License-Identifier: MIT */
/* count_probes.d - the probes of the program. */
provider count {
	probe file__start(const char *path);
	probe file__done(const char *path, int lines, unsigned long words, double mean);
};
