/* SPDX-License-Identifier: MIT */
/* calls.d - the probes of calls.c. */
provider calls {
	probe none();
	probe three(int, const char *, unsigned char);
	probe twelve(int, long, int, long, int, long, int, long, int, long, int, long);
	probe guarded(int id) : (int id);
	probe last(int);
	probe unused(string);
};
