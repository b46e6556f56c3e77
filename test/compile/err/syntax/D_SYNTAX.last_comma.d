/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = strjoin("a", "b",);
}
