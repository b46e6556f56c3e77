/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = srtlen("a");
}
