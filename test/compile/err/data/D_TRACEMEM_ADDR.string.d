/* SPDX-License-Identifier: MIT */
BEGIN
{
	tracemem(execname, 10);
}
