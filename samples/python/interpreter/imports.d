/* SPDX-License-Identifier: MIT */
/* imports.d - the modules a Python program looks for, one within the other, and how long each took */

#pragma D option quiet
#pragma D option switchrate=10hz

python$target:::import-find-load-start
{
	self->depth++;
	self->since[self->depth] = timestamp;
}

python$target:::import-find-load-done
/self->depth > 0/
{
	printf("%8d us %*s%s%s\n", (timestamp - self->since[self->depth]) / 1000, self->depth * 2, "",
	    copyinstr(arg0), arg1 ? "" : "  (not found)");
	self->since[self->depth] = 0;
	self->depth--;
}
