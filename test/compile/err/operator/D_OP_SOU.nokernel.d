/* SPDX-License-Identifier: MIT */
/* Without the kernel's types the message says so. */
BEGIN
{
	trace(curthread->comm);
}
