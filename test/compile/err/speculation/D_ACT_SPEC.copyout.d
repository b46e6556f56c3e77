/* SPDX-License-Identifier: MIT */
BEGIN
{
	speculate(1);
	copyout(NULL, 0, 1);
}
