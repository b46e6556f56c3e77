/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = (nowhere_t *)arg0;
}
