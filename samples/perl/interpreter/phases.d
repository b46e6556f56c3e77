/* SPDX-License-Identifier: MIT */
/* phases.d - the phases of a Perl program and the files it loads, in milliseconds since dtrace began */

#pragma D option quiet

dtrace:::BEGIN
{
	start = timestamp;
}

/* Perl 5.36 asks for phase-change only while op-entry is enabled, for files only while sub-entry is. */
perl$target:::op-entry,
perl$target:::sub-entry
/0/
{
}

perl$target:::phase-change
{
	printf("%6d ms  %s to %s\n", (timestamp - start) / 1000000, copyinstr(arg1), copyinstr(arg0));
}

perl$target:::loading-file
{
	self->file[copyinstr(arg0)] = timestamp;
}

perl$target:::loaded-file
/self->file[copyinstr(arg0)]/
{
	printf("           %s took %d us\n", copyinstr(arg0), (timestamp - self->file[copyinstr(arg0)]) / 1000);
	self->file[copyinstr(arg0)] = 0;
}
