/* SPDX-License-Identifier: MIT */
/* flow.d - the subs of a Perl program as they come and go, with the microseconds they took */

#pragma D option quiet
#pragma D option switchrate=10hz

self int depth;

perl$target:::sub-entry
{
	printf("%*s-> %s::%s  %s:%d\n", self->depth * 2, "", copyinstr(arg3), copyinstr(arg0),
	    basename(copyinstr(arg1)), arg2);
	self->depth++;
	self->start[self->depth] = timestamp;
}

perl$target:::sub-return
/self->depth > 0/
{
	this->took = (timestamp - self->start[self->depth]) / 1000;
	self->start[self->depth] = 0;
	self->depth--;
	printf("%*s<- %s::%s  %d us\n", self->depth * 2, "", copyinstr(arg3), copyinstr(arg0), this->took);
}
