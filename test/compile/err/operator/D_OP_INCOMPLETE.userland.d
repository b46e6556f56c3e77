/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
/* A process's types are not those of the kernel. */
typeduser:::entry
{
	trace(args[0]->comm);
}
