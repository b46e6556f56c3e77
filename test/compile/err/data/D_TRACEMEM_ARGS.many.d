/* SPDX-License-Identifier: MIT */
BEGIN
{
	tracemem(1, 10, 5, 6);
}
