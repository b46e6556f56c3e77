#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * netdrops.d - count packets that the kernel drops: where, and why
 *
 * Usage: netdrops.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Packets are dropped in interrupts as well, so they are not selected by process: -p and -c only say
 * how long to trace. Packets that are dropped with a closed socket count too.
 *
 * Columns:
 *   WHERE      the function of the kernel
 *   WHY        the kernel's name of the reason; NOT_SPECIFIED if it gives none
 *   COUNT      how many packets
 *
 * Example:
 *
 *   # netdrops.d 4
 *   WHERE                                    WHY                         COUNT
 *   vmlinux`__udp4_lib_rcv                   NO_SOCKET                       5
 */
#pragma D option quiet
#pragma D option defaultargs

/* The kernel has a table of names, or several, of which the first is its own. */
inline string reason[uint32_t n] = n >> 16 ? "of a part of the kernel" :
    __exists(&`drop_reasons) ? stringof(((char **)&`drop_reasons)[n]) :
    stringof(((char ***)&`drop_reasons_by_subsys)[0][0][n]);

sdt:skb::kfree_skb
{
	@drops[func((uintptr_t)args[1]), reason[(uint32_t)args[2]]] = count();
}

END
{
	printf("%-40s %-24s %8s\n", "WHERE", "WHY", "COUNT");
	printa("%-40a %-24s %@8d\n", @drops);
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
