/* SPDX-License-Identifier: MIT */
/* app.d - the probes of the program. */
provider app {
	probe start(int argc, char **argv);
};
