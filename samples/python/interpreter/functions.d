/* SPDX-License-Identifier: MIT */
/* functions.d - how long the functions of a Python program take: dtrace -s functions.d -c '/opt/python/bin/python3 ...' or -p PID */

#pragma D option quiet
#pragma D option dynvarsize=8m
#pragma D option aggsortpos=1

/* Python 3.11 comes to function-entry only while line is enabled: see README.md. */
python$target:::line
/0/
{
}

/* Functions that were entered before we came return, too: they have no start. */
python$target:::function-entry
{
	self->depth++;
	self->start[self->depth] = timestamp;
	self->inner[self->depth] = 0;
}

python$target:::function-return
/self->depth > 0/
{
	this->file = basename(copyinstr(arg0));
	this->took = timestamp - self->start[self->depth];
	this->inner = self->inner[self->depth];
	self->start[self->depth] = 0;
	self->inner[self->depth] = 0;
	self->depth--;
	self->inner[self->depth] += self->depth > 0 ? this->took : 0;
}

/* <frozen ...>: what the interpreter itself is made of. */
python$target:::function-return
/this->took && substr(this->file, 0, 1) != "<"/
{
	this->name = strjoin(strjoin(this->file, ":"), copyinstr(arg1));
	@calls[this->name] = count();
	@total[this->name] = sum(this->took / 1000);
	@self[this->name] = sum((this->took - this->inner) / 1000);
	@times[this->name] = quantize(this->took);
}

dtrace:::END
{
	printf("%-28s %8s %12s %12s\n", "FUNCTION", "CALLS", "TOTAL (us)", "SELF (us)");
	printa("%-28s %@8d %@12d %@12d\n", @calls, @total, @self);
	printf("\nNanoseconds of each call, the functions it calls included:\n");
	printa(@times);
}
