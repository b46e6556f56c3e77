/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
BEGIN
{
	`jiffies = 1;
}
