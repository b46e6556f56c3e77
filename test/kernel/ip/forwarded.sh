# SPDX-License-Identifier: MIT
# A packet that the kernel forwards fires receive where it comes and send where it goes, of both versions, as often as the
# kernel counts.
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@modules: veth
# @@timeout: 90
. ../_lib.sh

# neighbour NAME NET - make a network namespace, kept by process $NEIGHBOUR, and a link NAME to it, with addresses of NET.
neighbour()
{
	pipes "$1" "end-$1"
	unshare -n sh -c "echo \$\$ >$T/$1; read -r _ <$T/end-$1" &
	read -r NEIGHBOUR <"$T/$1"
	ip link add "$1" type veth
	ip link set veth0 netns "$NEIGHBOUR"
	nsenter -t "$NEIGHBOUR" -n sh -c "echo 0 >/proc/sys/net/ipv6/conf/veth0/accept_dad
		ip addr add 10.0.$2.2/24 dev veth0; ip -6 addr add fd00:$2::2/64 dev veth0; ip link set veth0 up
		ip route add default via 10.0.$2.1; ip -6 route add default via fd00:$2::1"
	echo 0 >"/proc/sys/net/ipv6/conf/$1/accept_dad"
	ip addr add "10.0.$2.1/24" dev "$1"
	ip -6 addr add "fd00:$2::1/64" dev "$1"
	ip link set "$1" up
}

# counted COLUMN - print a counter of IP of this namespace.
counted()
{
	awk -v column="$1" '/^Ip:/ { if (!n) { n = split($0, name); next } for (i = 1; i <= n; i++) if (name[i] == column) print $i }' /proc/net/snmp
}

load veth
echo 1 >/proc/sys/net/ipv4/ip_forward
echo 1 >/proc/sys/net/ipv6/conf/all/forwarding
neighbour right 2
neighbour left 1
out=OutTransmits
[ -n "$(counted $out)" ] || out=OutRequests # before 6.12
sent=$(counted $out) got=$(counted InReceives)
dtrace -qn 'ip:::send, ip:::receive /args[3]->if_ipstack == 0 && args[2]->ip_ver == 4/ { @four[probename] = count(); }
	ip:::send, ip:::receive /args[3]->if_ipstack == 0 && (args[2]->ip_saddr == "fd00:1::2" && args[2]->ip_daddr == "fd00:2::2" ||
	    args[2]->ip_saddr == "fd00:2::2" && args[2]->ip_daddr == "fd00:1::2")/ {
		@[probename, args[2]->ip_saddr, args[2]->ip_daddr, args[3]->if_name] = count(); }
	ip:::send, ip:::receive /args[3]->if_ipstack == 0 && args[2]->ip_ver == 4/ {
		@[probename, args[2]->ip_saddr, args[2]->ip_daddr, args[3]->if_name] = count(); }
	END { printa("count %s %@d\n", @four); printa("%s %s > %s on %s: %@d\n", @); }' \
	-c "nsenter -t $NEIGHBOUR -n sh -c 'ping -c 3 -A 10.0.2.2; ping -c 2 -A fd00:2::2'" >"$T/out"
sent=$(($(counted $out) - sent)) got=$(($(counted InReceives) - got))
sed -n 's/ packets received.*//p' "$T/out" | sed 's/.*, /answers: /'
awk '/^send|^receive/' "$T/out" | sort
awk -v sent="$sent" -v got="$got" '$1 == "count" { n[$2] = $3 }
	END { print n["send"] == sent && n["receive"] == got ? "as the kernel counts" : "the kernel counts " sent " and " got ", not " n["send"] " and " n["receive"] }' "$T/out"
echo 0 >/proc/sys/net/ipv4/ip_forward
echo 0 >/proc/sys/net/ipv6/conf/all/forwarding
for name in left right; do
	ip link del "$name"
	write_line "$T/end-$name"
done
unload veth
