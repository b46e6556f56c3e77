/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = ((task_struct *)arg0)->comm;
}
