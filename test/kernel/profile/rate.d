/* SPDX-License-Identifier: MIT */
/*
 * Over some time profile probes fire about as often as their names say: 10 times as often at a
 * tenth of the interval.
 */
#pragma D option quiet
int slow, fast;
profile:::tick-100ms { slow++; }
profile:::tick-10ms { fast++; }
profile:::tick-100ms
/slow == 10/
{
	printf("%s\n", fast > 60 && fast < 140 ? "right" : "wrong");
	exit(0);
}
