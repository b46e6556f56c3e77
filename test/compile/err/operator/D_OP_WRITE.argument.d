/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
typed:::entry
{
	args[1] = 1;
}
