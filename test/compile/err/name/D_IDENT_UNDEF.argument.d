/* SPDX-License-Identifier: MIT */
BEGIN
{
	trace(arg12);
}
