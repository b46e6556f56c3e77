/* SPDX-License-Identifier: MIT */
/* _built.d - the probes of built.c and built.cc. */
provider built {
	probe main(int number, char *text);
	probe part(int number);
	probe guarded(int number);
};
