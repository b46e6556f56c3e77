/* SPDX-License-Identifier: MIT */
/* frames.d - the stack at each firing of frames.pl, without what is of C. */
#pragma D option quiet

frames*:::here
{
	printf("%s", copyinstr(arg0));
	jstack(12, 4096);
}
