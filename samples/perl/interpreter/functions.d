/* SPDX-License-Identifier: MIT */
/* functions.d - how long the subs of a Perl program take: dtrace -s functions.d -c '/opt/perl/bin/perl ...', or -p PID */

#pragma D option quiet
#pragma D option dynvarsize=8m
#pragma D option aggsortpos=1

/* Subs that were entered before we came return, too: they have no start. */
perl$target:::sub-entry
{
	self->depth++;
	self->start[self->depth] = timestamp;
	self->inner[self->depth] = 0;
}

perl$target:::sub-return
/self->depth > 0/
{
	this->sub = strjoin(strjoin(copyinstr(arg3), "::"), copyinstr(arg0));
	this->took = timestamp - self->start[self->depth];
	@calls[this->sub] = count();
	@total[this->sub] = sum(this->took / 1000);
	@self[this->sub] = sum((this->took - self->inner[self->depth]) / 1000);
	@times[this->sub] = quantize(this->took);
	self->start[self->depth] = 0;
	self->inner[self->depth] = 0;
	self->depth--;
	self->inner[self->depth] += self->depth > 0 ? this->took : 0;
}

dtrace:::END
{
	printf("%-24s %8s %12s %12s\n", "SUB", "CALLS", "TOTAL (us)", "SELF (us)");
	printa("%-24s %@8d %@12d %@12d\n", @calls, @total, @self);
	printf("\nNanoseconds of each call, the subs it calls included:\n");
	printa(@times);
}
