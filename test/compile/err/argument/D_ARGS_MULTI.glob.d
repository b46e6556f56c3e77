/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
:::
{
	trace(args[0]);
}
