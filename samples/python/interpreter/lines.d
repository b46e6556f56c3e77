/* SPDX-License-Identifier: MIT */
/* lines.d - the lines of a Python program that take longest: the time until the next line */

#pragma D option quiet

self string file;
self int line;
self uint64_t since;

python$target:::line
/self->since/
{
	@t[self->file, self->line] = sum((timestamp - self->since) / 1000);
}

python$target:::line
{
	self->file = basename(copyinstr(arg0));
	self->line = arg2;
	self->since = timestamp;
}

dtrace:::END
{
	trunc(@t, 8);
	printf("%-20s %6s %12s\n", "FILE", "LINE", "TIME (us)");
	printa("%-20s %6d %@12d\n", @t);
}
