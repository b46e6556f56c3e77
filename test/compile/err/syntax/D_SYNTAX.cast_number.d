/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = (const 5)5;
}
