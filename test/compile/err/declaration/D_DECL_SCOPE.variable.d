/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
int vmlinux`x;
BEGIN
{
}
