/* SPDX-License-Identifier: MIT */
/* ops.d - the operations a Perl program spends its time in; operators are what Perl compiles a program to */

#pragma D option quiet

self string op;
self uint64_t since;

perl$target:::op-entry
/self->since/
{
	@t[self->op] = sum(timestamp - self->since);
}

perl$target:::op-entry
{
	self->op = copyinstr(arg0);
	self->since = timestamp;
}

dtrace:::END
{
	trunc(@t, 10);
	printf("%-16s %12s\n", "OPERATION", "TIME (ns)");
	printa("%-16s %@12d\n", @t);
}
