/* SPDX-License-Identifier: MIT */
/* profile-N fires on every CPU, and each firing is either in the kernel or in a program. */
#pragma D option quiet
int cpus, odd, i, seen[int];
profile:::profile-100 /!seen[cpu]/ { seen[cpu] = 1; cpus++; }
profile:::profile-100 /(arg0 != 0) == (arg1 != 0)/ { odd++; }
profile:::tick-100ms /cpus == 2 || i++ == 100/ { printf("cpus %d odd %d\n", cpus, odd); exit(0); }
