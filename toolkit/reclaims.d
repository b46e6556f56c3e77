#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * reclaims.d - show which processes stop to reclaim memory
 *
 * Usage: reclaims.d [-p PID | -c COMMAND] [SECONDS]
 *
 * If memory is short, a process that asks for some must free some first: pages of the machine, or
 * of its control group if that has its limit.
 *
 * Columns:
 *   NAME       the name of the process
 *   PID        the process
 *   OF         machine or group: where memory is short
 *   COUNT      how often it had to
 *   PAGES      pages that became free
 *   US         microseconds in doing so, all together
 *
 * Example:
 *
 *   # reclaims.d 3
 *   NAME                  PID OF          COUNT      PAGES           US
 *   dd                    600 group          37        250      1083660
 *   kworker/u8:1           31 group          89       2893      1088491
 */
#pragma D option quiet
#pragma D option defaultargs

sdt:vmscan::mm_vmscan_direct_reclaim_begin,
sdt:vmscan::mm_vmscan_memcg_reclaim_begin
/!$target || progenyof($target)/
{
	self->begun = timestamp;
}

sdt:vmscan::mm_vmscan_direct_reclaim_end,
sdt:vmscan::mm_vmscan_memcg_reclaim_end
/self->begun/
{
	this->of = probename == "mm_vmscan_direct_reclaim_end" ? "machine" : "group";
	@count[execname, pid, this->of] = count();
	@pages[execname, pid, this->of] = sum(arg0);
	@time[execname, pid, this->of] = sum((timestamp - self->begun) / 1000);
	self->begun = 0;
}

END
{
	printf("%-16s %8s %-8s %8s %10s %12s\n", "NAME", "PID", "OF", "COUNT", "PAGES", "US");
	printa("%-16s %8d %-8s %@8d %@10d %@12d\n", @count, @pages, @time);
}

tick-1s
{
	elapsed++;
}

tick-1s
/elapsed == $1/
{
	exit(0);
}
