/* SPDX-License-Identifier: MIT */
BEGIN
{
	tracemem(1);
}
