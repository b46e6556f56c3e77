/* SPDX-License-Identifier: MIT */
BEGIN
{
	trunc(@a);
}
