# SPDX-License-Identifier: MIT
# Probes of each type of ICMP message, of both versions, add up to what the kernel counts of a network namespace, by its own
# names, those of Solaris, and the types' numbers.
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@modules: veth
# @@timeout: 120
# @@long: yes
. ../_lib.sh
load veth
export T
cat >"$T/workload" <<'EOD'
. ../_lib.sh
addresses_ready()
{
	! ip -6 addr | grep tentative
}
ip link set lo up
ip link add near type veth
ip -6 addr add fd00::1/64 dev near
ip link set near up
ip link set veth0 up
await addresses_ready
ping -c 3 -A 127.0.0.1
ping -c 2 -A ::1
ping -c 1 -W 1 fd00::9
traceroute -n -q 2 127.0.0.1
traceroute6 -n -q 4 ::1
ip link set near down
ip link set veth0 down
awk '/^Icmp/ { head = $1; sub(":", "", head); n = split($0, name); getline; split($0, value);
	for (i = 2; i <= n; i++) print "kernel", head name[i], value[i] }' /proc/net/snmp
awk '/^Icmp/ { print "kernel", $1, $2 }' /proc/net/snmp6
readlink /proc/self/ns/net | sed 's/.*\[\(.*\)\].*/inside \1/'
EOD
pipes begun
dtrace -o "$T/out" -wqn 'BEGIN { system("echo >%s", "'"$T"'/begun"); }
	mib:::Icmp*, mib:::icmp*, mib:::ipv6IfIcmp* { @[args[2]->ns.inum, probename] = sum(arg0); }
	mib:::IcmpInEchos, mib:::Icmp6OutEchos { variable = *args[1]; }
	END { printa("%d %s %@d\n", @); printf("a counter: %d\n", variable > 0); }' &
read -r _ <"$T/begun"
unshare -n sh "$T/workload" >"$T/talk"
kill -INT $!
wait $!
awk 'FILENAME ~ /talk/ { if ($1 == "inside") ns = $2; if ($1 == "kernel") count[$2] = $3; next }
	$1 == ns { sum[$2] = $3 }
	END {
		for (name in count) {
			if (sum[name] + 0 != count[name])
				printf("%s: the kernel counts %d, the probe %d\n", name, count[name], sum[name])
			solaris = name
			sub("^Icmp6", "ipv6IfIcmp", solaris)
			sub("^Icmp", "icmp", solaris)
			if (name !~ /Type|Csum|RateLimit|MLDv2/ && sum[solaris] + 0 != count[name])
				printf("%s: the kernel counts %d, the probe %d\n", solaris, count[name], sum[solaris])
			if (count[name] && name !~ /RouterSolicits|Type133/) # a host asks for routers when it likes
				print name >"/dev/stderr"
		}
	}' "$T/talk" "$T/out" 2>"$T/counted"
sort "$T/counted"
grep 'a counter' "$T/out"
unload veth
