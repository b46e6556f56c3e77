/* SPDX-License-Identifier: MIT */
/* words_probes.d - the probes of the library. */
provider words {
	probe line(int number, const char *text);
	probe word(const char *text, unsigned long length);
};
