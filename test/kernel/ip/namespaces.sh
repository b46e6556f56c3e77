# SPDX-License-Identifier: MIT
# Packets and connections have their network namespace: 0 for the first one, the number of another one.
# @@kernels: 6.1 6.12 debug
# @@needs: types
. ../_lib.sh
ifconfig lo up
for own in "" "unshare -n "; do
	dtrace -qn 'ip:::send { @[args[3]->if_ipstack] = count(); }
		ip:::receive { @[args[3]->if_ipstack] = count(); }
		tcp:::state-change, tcp:::connect-established { @[args[1]->cs_zoneid] = count(); }
		END { printa("probes in %d: %@d\n", @); }' -c "${own}sh -c 'readlink /proc/self/ns/net; talks tcp4 2 10'" >"$T/out"
	awk -v own="$own" '/^net/ { gsub("[^0-9]", ""); inside = own ? $0 : 0 } /^probes/ { n++; where = $3 + 0 }
		END { print own (n == 1 && where == inside ? "all there" : "n " n ", in " where ", not " inside) }' "$T/out"
done
