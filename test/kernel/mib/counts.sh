# SPDX-License-Identifier: MIT
# Probes of mib add up to what the kernel counts in /proc/net/snmp, snmp6 and netstat, line by line, for each network
# namespace.
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@timeout: 240
# @@long: yes
. ../_lib.sh
ifconfig lo up

# counters - print the counters of this namespace by nstat's names, with their values.
counters()
{
	awk '{ head = $1; sub(":", "", head); n = split($0, name); getline; split($0, value);
		for (i = 2; i <= n; i++) print head name[i], value[i] }' /proc/net/snmp /proc/net/netstat
	cat /proc/net/snmp6
}
export T
cat >"$T/workload" <<'EOD'
talks tcp4 7 100
talks tcp6 6 33
talks refused4 3
talks refused6 2
talks udp4 5 10
talks lite4 3 10
talks lite6 2 10
talks multipath4 7 100
talks own tcp4 5 10
talks own multipath4 5 10
ping -c 3 127.0.0.1
ping -c 2 -s 4000 ::1
EOD
counters >"$T/before"
# Enabling takes longer than a program of -c stays stopped.
pipes begun
dtrace -o "$T/out" -wqn 'BEGIN { system("echo >%s", "'"$T"'/begun"); }
	mib::: { @[args[2]->ns.inum, probename] = sum(arg0); }
	END { printa("%d %s %@d\n", @); }' &
read -r _ <"$T/begun"
sh "$T/workload" >"$T/talk"
counters >"$T/after"
kill -INT $!
wait $!
sed -n 's/.*\[\(.*\)\].*/\1/p' <<EOD >"$T/ns"
$(readlink /proc/self/ns/net)
EOD
awk 'FILENAME ~ /ns/ { ns = $1; next }
	FILENAME ~ /before/ { before[$1] = $2; next }
	FILENAME ~ /after/ { after[$1] = $2; names[++n] = $1; next }
	NF == 3 && $1 == ns { sum[$2] = $3 }
	NF == 3 && $1 != ns { others[$2] += $3 }
	END {
		for (i = 1; i <= n; i++) {
			name = names[i]
			if (name ~ /^TcpRto|MaxConn|Forwarding|DefaultTTL/)
				continue
			more = after[name] - before[name]
			if (more != sum[name] + 0)
				printf("%s: the kernel counts %d, the probe %d\n", name, more, sum[name])
			else if (more)
				counted++
		}
		print (counted > 25 ? "more than 25" : counted), "lines are equal"
		print sum["tcpOutSegs"] == sum["TcpOutSegs"] && sum["udpInDatagrams"] == sum["UdpInDatagrams"] ? "names of other systems tell the same" : "names differ"
		print others["TcpActiveOpens"], "connections in other namespaces"
		print sum["MPTcpExtMPCapableSYNRX"] + 0, others["MPTcpExtMPCapableSYNRX"] + 0, "of multipath TCP"
		print sum["UdpLiteOutDatagrams"] + 0, sum["UdpLite6InDatagrams"] + 0, "of UDP-Lite"
	}' "$T/ns" "$T/before" "$T/after" "$T/out"
