/* SPDX-License-Identifier: MIT */
/* The probes of the library that victim loads and unloads. */
provider plug {
	probe hit(int);
};
