/* SPDX-License-Identifier: MIT */
/*
 * profile.d - where the program spends its time, 499 times a second: for fold.awk. arg1: it is not
 * in the kernel.
 */
#pragma D option quiet

profile-499
/pid == $target && arg1/
{
	@[jstack(30, 4096)] = count();
}
