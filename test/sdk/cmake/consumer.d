/* SPDX-License-Identifier: MIT */
/* consumer.d - the probes of a project that uses the installed DTrace. */
provider consumer {
	probe begin(int argc, const char *name);
	probe part(int);
};
