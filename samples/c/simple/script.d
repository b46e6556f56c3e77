/* SPDX-License-Identifier: MIT */
/* script.d - what the sample's probes see: dtrace -q -s script.d -c './simple 3' */

simple$target:::saw-line,
simple$target:::saw-word
{
	@seen[probemod, probename, args[0]] = count();
}

END
{
	printf("%-14s %-10s %8s %5s\n", "MODULE", "PROBE", "ARGUMENT", "HITS");
	printa("%-14s %-10s %8x %@5d\n", @seen);
}
