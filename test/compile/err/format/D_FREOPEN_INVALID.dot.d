/* SPDX-License-Identifier: MIT */
BEGIN
{
	freopen(".");
}
