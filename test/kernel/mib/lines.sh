# SPDX-License-Identifier: MIT
# Each counter of /proc/net/snmp, netstat and snmp6 has a probe of its name; those that are no counts have none.
# @@kernels: 6.1 6.12 debug
dtrace -l -P mib | awk 'NR > 1 { print $NF }' | sort >"$T/probes"
{
	awk '{ head = $1; sub(":", "", head); n = split($0, name); getline
		for (i = 2; i <= n; i++) print head name[i] }' /proc/net/snmp /proc/net/netstat
	awk '{ print $1 }' /proc/net/snmp6
} | sort >"$T/lines"
[ "$(grep -c '' "$T/lines")" -gt 300 ] && echo "more than 300 lines"
grep -vxFf "$T/probes" "$T/lines" || :
