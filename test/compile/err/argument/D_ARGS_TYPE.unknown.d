/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
typed:::entry
{
	trace(args[6]->x);
}
