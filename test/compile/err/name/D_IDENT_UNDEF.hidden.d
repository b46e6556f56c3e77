/* args: -xbtfpath=TYPES/vmlinux -xkallsyms=../../hidden -xnolibs */
/* SPDX-License-Identifier: MIT */
/* Addresses that the user may not see. */
BEGIN
{
	trace(`jiffies);
}
