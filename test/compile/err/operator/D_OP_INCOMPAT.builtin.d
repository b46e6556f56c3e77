/* SPDX-License-Identifier: MIT */
BEGIN
{
	pid = "a";
}
