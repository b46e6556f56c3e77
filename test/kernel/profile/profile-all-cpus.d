/* SPDX-License-Identifier: MIT */
/* @@worlds: kernel profile-N fires on idle CPUs too */
/* profile-N fires on every CPU, and each firing is either in the kernel or in a program. */
#pragma D option quiet
int odd, i, seen[int];
profile:::profile-100 { seen[cpu] = 1; }
profile:::profile-100 /(arg0 != 0) == (arg1 != 0)/ { odd++; }
profile:::tick-100ms /(seen[0] && seen[1]) || i++ == 100/
{
	printf("cpus %d odd %d\n", seen[0] + seen[1], odd);
	exit(0);
}
