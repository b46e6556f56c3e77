/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
BEGIN
{
	trace(curthread->com);
}
