# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# All units name probes; intervals too short and names that make no sense are refused.
for unit in 500us 500usec 1ms 1msec 1s 1sec 1m 1min 1h 1hour 1d 1day 997hz 997 1000000ns \
	1000000nsec; do
	dtrace -l -n "profile:::tick-$unit" 2>&1 | awk 'NR > 1 { print $2, $3 } /failed/'
done
for bad in tick-0 tick-10ns tick-1fortnight profile-100us tick-; do
	dtrace -l -n "profile:::$bad" >/dev/null 2>&1
	echo "$bad: status $?"
done
