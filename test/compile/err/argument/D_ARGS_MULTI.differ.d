/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
/* One of the two has a type of the kernel, the other of a process. */
typed*:::entry
{
	trace(args[0]);
}
