/* args: -xbtfpath=../../hidden -xnolibs */
/* SPDX-License-Identifier: MIT */
/* What is not BTF. */
BEGIN
{
	trace(curthread->comm);
}
