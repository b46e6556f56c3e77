/* SPDX-License-Identifier: MIT */
/* gc.d - the collections of a Python program: how many objects each generation gave back, and how long it took */

#pragma D option quiet

python$target:::gc-start
{
	self->since = timestamp;
	self->generation = arg0;
}

python$target:::gc-done
/self->since/
{
	@runs[self->generation] = count();
	@freed[self->generation] = sum(arg0);
	@times[self->generation] = quantize((timestamp - self->since) / 1000);
	self->since = 0;
}

dtrace:::END
{
	printf("%10s %6s %8s\n", "GENERATION", "RUNS", "OBJECTS");
	printa("%10d %@6d %@8d\n", @runs, @freed);
	printa("\nMicroseconds of a collection of generation %d:%@d", @times);
}
