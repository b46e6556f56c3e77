/* SPDX-License-Identifier: MIT */
/* flow.d - the functions of a Python program as they come and go, from the first call of a function on: its name is the argument */

#pragma D option quiet
#pragma D option switchrate=10hz

self int depth;

python$target:::line
/0/
{
}

python$target:::function-entry
/self->depth == 0 && copyinstr(arg1) == $$1/
{
	self->depth = 1;
}

python$target:::function-entry
/self->depth > 0/
{
	printf("%*s-> %s  %s:%d\n", self->depth * 2, "", copyinstr(arg1), basename(copyinstr(arg0)), arg2);
	self->start[self->depth] = timestamp;
	self->depth++;
}

python$target:::function-return
/self->depth > 0/
{
	self->depth--;
	printf("%*s<- %s  %s:%d  %d us\n", self->depth * 2, "", copyinstr(arg1), basename(copyinstr(arg0)), arg2,
	    (timestamp - self->start[self->depth]) / 1000);
	self->start[self->depth] = 0;
	self->depth -= self->depth == 1;
}
