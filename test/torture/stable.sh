# SPDX-License-Identifier: MIT
# @@long: yes
# @@needs: types
# @@timeout: 180
# All stable providers trace at once while a disk, the network and processes work, and sessions come and go, some by kill -9. One session
# lives on: it has seen as much as the kernel and the programs have counted, and each begin has its end.
. ./_lib.sh
# in the long form, a thread that cannot be killed for 20 s is a complaint of the kernel
[ "$TORTURE_SECONDS" ] && echo 20 >/proc/sys/kernel/hung_task_timeout_secs
cd ../kernel/io && . ./_lib.sh
disk size=80m

# transfers, datagrams, segments, processes and switches: what the long session counts
watcher()
{
	exec dtrace -q -x dynvarsize=16m -o "$T/seen" -n '
	BEGIN { printf("@tracing\n"); }
	io:::start /args[1]->dev_statname == "loop0"/ { @starts = sum(1); @ends = sum(0); at[args[0]->b_edev, args[0]->b_blkno] = timestamp; }
	io:::done /args[1]->dev_statname == "loop0"/ { @ends = sum(1); @strays = sum(!at[args[0]->b_edev, args[0]->b_blkno]); at[args[0]->b_edev, args[0]->b_blkno] = 0; }
	io:::done /args[1]->dev_statname == "loop0"/ { @read = sum(args[0]->b_flags & B_READ ? args[0]->b_bcount / 512 : 0);
		@written = sum(args[0]->b_flags & B_READ ? 0 : args[0]->b_bcount / 512); }
	udp:::send { @sent = sum(1); } udp:::receive { @received = sum(1); }
	mib:::UdpOutDatagrams, mib:::Udp6OutDatagrams { @counted = sum(arg0); }
	sched:::off-cpu { @leaves = sum(1); } sched:::on-cpu { @gets = sum(1); }
	proc:::create { @creates = sum(1); } proc:::exit { @exits = sum(1); }
	END {
		printa("transfers %@d %@d strays %@d sectors %@d %@d\n", @starts, @ends, @strays, @read, @written);
		printa("datagrams %@d %@d %@d\n", @sent, @received, @counted);
		printa("switches %@d %@d\n", @leaves, @gets);
		printa("processes %@d %@d\n", @creates, @exits);
	}' 2>"$T/watched"
}

tracer()
{
	seed=$1
	while [ ! -e "$T/stop" ]; do
		seed=$(((seed * 1103515245 + 12345) % 2147483648))
		dtrace -q -x aggsize=1m -n 'proc:::, sched:::, io:::, ip:::, tcp:::, udp:::, sysinfo:::, fsinfo:::, lockstat:::adaptive-*, vminfo:::pg*, mib:::Tcp*,
				notifier:::, cpc:::cpu_clock-all-1000000 {
				@[probeprov, probename] = sum(arg0 != 0); @names[execname, curpsinfo->pr_pid, fds[1].fi_name] = count(); @s[stack(3), ustack(3)] = count(); }
			tick-2s { exit(0); }' >/dev/null 2>>"$T/errors" &
		ended $seed 1900
	done
}

writer()
{
	n=0
	while [ ! -e "$T/stop" ]; do
		n=$(((n + 1) % 4))
		dd if=/dev/zero of="$T/mnt/file$n" bs=64k count=40 conv=fsync 2>/dev/null
		echo 3 >/proc/sys/vm/drop_caches
		cat "$T/mnt/file$n" >/dev/null
		rm "$T/mnt/file$n"
		echo >>"$T/files"
	done
}

talker()
{
	while [ ! -e "$T/stop" ]; do
		talks udp4 50 100
		talks udp6 50 100
		talks tcp4 20 1000
		talks tcp6 20 1000
		talks refused4 3
		echo >>"$T/talks"
	done >/dev/null
}

worker()
{
	while [ ! -e "$T/stop" ]; do
		lives tree 5
		lives threads 5
		lives signals
		lives faults
		sh -c 'ls / | sort | wc -l'
	done >/dev/null 2>&1
}

# udp FIELD - a counter of /proc/net/snmp and snmp6.
udp()
{
	awk -v name="$1" '$1 == "Udp:" && !n { for (i = 2; i <= NF; i++) if ($i == name) n = i; next } $1 == "Udp:" { sum += $n }
		$1 == "Udp6" name { sum += $2 } END { print sum }' /proc/net/snmp /proc/net/snmp6
}

: >"$T/sessions" >"$T/errors" >"$T/files" >"$T/talks" >"$T/seen"
sync
set -- $(cat /sys/block/loop0/stat)
reads=$3 writes=$7 out=$(udp OutDatagrams) in=$(udp InDatagrams)
watcher &
watcher=$!
await is_tracing $watcher "$T/seen"
work 'tracer 1' 'tracer 271828' writer talker worker
sync
kill -INT $watcher
wait $watcher
set -- $(cat /sys/block/loop0/stat)
echo "sessions $(grep -c '' "$T/sessions"), files $(grep -c '' "$T/files"), talks $(grep -c '' "$T/talks")" >/dev/kmsg
[ "$(grep -c '' "$T/sessions")" -ge 2 ] && [ "$(grep -c '' "$T/files")" -ge 1 ] && [ "$(grep -c '' "$T/talks")" -ge 1 ] && echo enough
awk -v reads=$(($3 - reads)) -v writes=$(($7 - writes)) '$1 == "transfers" && $2 == $3 && $2 > 20 && $5 == 0 && $7 == reads && $8 == writes { print "transfers: as the kernel counts" }
	$1 == "switches" && $2 - $3 <= 8 && $3 - $2 <= 8 && $2 > 1000 { print "switches: in turn" }
	$1 == "processes" && $2 > 20 && $3 > 20 { print "processes: some" }' "$T/seen" >"$T/right"
cat "$T/right"
[ "$(grep -c '' "$T/right")" = 3 ] || { echo "sectors $(($3 - reads)) $(($7 - writes))"; cat "$T/seen"; }
out=$(($(udp OutDatagrams) - out)) in=$(($(udp InDatagrams) - in))
grep "^datagrams $out $in $out\$" "$T/seen" >/dev/null && echo "datagrams: as the kernel counts" || { echo "datagrams $out $in"; cat "$T/seen"; }
cat "$T/watched"
grep -v 'drop\|missed\|more errors\|error on enabled probe\|invalid address\|pause\|unresponsive' "$T/errors" | sort | uniq -c | head
no_disk
rows sessions
awk '/^(functions|instr) / { print $1, $2 }' /proc/dtrace/stats
rmmod dtrace && echo unloaded
insmod /vm/dtrace.ko
