# SPDX-License-Identifier: MIT
# Each probe of other systems' stable providers that Linux has no events for is refused, with what to use instead.
refused()
{
	provider=$1
	shift
	for name in "$@"; do
		set -- "$@" -n "$provider:::$name"
		shift
	done
	dtrace -l "$@" 2>&1 | sed -n 's/dtrace: failed to match \(.*\): No probe matches description\(.*\)/\1\2/p'
}
refused sched cpucaps-sleep cpucaps-wakeup schedctl-nopreempt schedctl-preempt schedctl-yield load-change lend-pri
refused vminfo pgfrec rev softlock hat_fault execpgin execpgout fspgin fspgout anonfree execfree fsfree
refused sysinfo cpu_ticks_idle cpu_ticks_kernel cpu_ticks_user cpu_ticks_wait wait_ticks_io lread lwrite bawrite phread phwrite \
	rawch canch outch intrblk intrthread ufsdirblk ufsiget ufsinopage ufsipage
refused fsinfo addmap delmap cmp dispose dump dumpctl fid pageio pathconf poll realvp rwlock rwunlock shrlock vnevent
refused lockstat rw-upgrade thread-spin
refused ip drop-in drop-out
refused mib icmpInFragNeeded icmpOutFragNeeded icmpInUnknowns icmpInOverflows icmpOutDrops ipForwProhibits ipIfStatsForwProhibits \
	ipInIPv6 ipOutIPv6 ipReasmDuplicates ipIfStatsReasmPartDups ipsecInFailed ipv6IfIcmpInErrors rawipInDatagrams \
	rawipOutDatagrams sctpOutAck udpOutErrors tcpInDataPastWinSegs tcpInClosed ipIfStatsHCOutTransmits tcpInAckSegs \
	tcpInAckBytes tcpInAckUnsent tcpInDupAck tcpInWinProbe tcpInWinUpdate tcpOutAck tcpOutControl tcpOutUrg tcpOutWinUpdate \
	tcpOutSackRetransSegs tcpRttUpdate tcpRttNoUpdate tcpTimKeepaliveDrop
# A name that nobody knows has no advice.
refused sched surrenders
refused mib tcpInAckPartial
