/* args: -xbtfpath=TYPES/vmlinux -xkallsyms=../../hidden -xnolibs */
/* SPDX-License-Identifier: MIT */
/* A file with the kernel's types, but not those of the module that defines the struct. */
BEGIN
{
	trace(curthread->files->dev->owner);
}
