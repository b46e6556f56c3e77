/* SPDX-License-Identifier: MIT */
BEGIN
{
	p = &(1 + 2);
}
