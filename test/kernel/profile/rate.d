/* SPDX-License-Identifier: MIT */
/*
 * Profile probes fire as often as their names say: at a tenth of the interval more often, but not
 * more than ten times as often. (A guest on a busy host misses ticks: they are not made up for.)
 */
#pragma D option quiet
int slow, fast;
profile:::tick-100ms { slow++; }
profile:::tick-10ms { fast++; }
profile:::tick-100ms
/slow == 10/
{
	printf("%s\n", fast > 2 * slow && fast < 14 * slow ? "right" : "wrong");
	exit(0);
}
