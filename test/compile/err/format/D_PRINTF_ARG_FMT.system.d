/* SPDX-License-Identifier: MIT */
#pragma D option destructive

BEGIN
{
	system(execname);
}
