/* SPDX-License-Identifier: MIT */
BEGIN
{
	tracemem(1, 10, "a");
}
