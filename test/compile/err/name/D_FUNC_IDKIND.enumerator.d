/* SPDX-License-Identifier: MIT */
enum e { ONE };
BEGIN
{
	x = ONE();
}
