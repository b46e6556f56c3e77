/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
BEGIN
{
	trace(((struct task_struc *)arg0)->comm);
}
