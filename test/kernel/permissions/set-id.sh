# SPDX-License-Identifier: MIT
# @@long: ci
# @@kernels: 6.1 6.12
# A user may not trace programs that run with more than the user's rights, or that the user may not read, whatever
# suid_dumpable says, and does not see them in lists. When a traced process becomes one, its probes are removed.
# @@timeout: 90
. ./_lib.sh
policy 'user user dtrace_proc dtrace_user'
dumpable=$(cat /proc/sys/fs/suid_dumpable)
for kind in setuid setgid setuid-other endowed unreadable; do
	cp "$BIN/victim" "/usr/bin/victim-$kind"
done
chown 7:1000 /usr/bin/victim-setuid-other
chgrp 7 /usr/bin/victim-setgid
chmod 4755 /usr/bin/victim-setuid /usr/bin/victim-setuid-other
chmod 2755 /usr/bin/victim-setgid
chmod 711 /usr/bin/victim-unreadable
become endow /usr/bin/victim-endowed 13 run true
pipes up go
chmod 666 "$T/up" "$T/go"
su user -c "exec dtrace -q -Z -x switchrate=20ms -n 'BEGIN { printf(\"@tracing\n\"); }
	victim*:::tick { printf(\"tick %d\n\", arg0); }'" >"$T/out" 2>&1 &
tracer=$!
await grep -q @tracing "$T/out"
for value in 0 1 2; do	# where it is 1 debuggers may look into what cannot be read, and so may we
	echo $value >/proc/sys/fs/suid_dumpable
	user "for kind in setuid setgid setuid-other endowed unreadable; do
		victim-\$kind fire 9
		$BIN/victim fire 1 run /usr/bin/victim-\$kind fire 9
	done"
	become real 7 1000 run victim fire 8
done
echo $dumpable >/proc/sys/fs/suid_dumpable
echo "--- capabilities, another group, undumpable"
pipes up1 go1 up2 go2 up3 go3 up4 go4
chmod 666 "$T"/up? "$T"/go?
become keep 13 gid 1000 uid 1000 run victim tell "$T/up1" wait "$T/go1" fire 9 text &
read -r first <"$T/up1"
become gid 7 uid 1000 run victim tell "$T/up2" wait "$T/go2" fire 9 text &
read -r second <"$T/up2"
become gid 1000 uid 1000 run victim fire 2 undumpable tell "$T/up3" wait "$T/go3" fire 9 &
read -r third <"$T/up3"
become gid 1000 uid 1000 run victim tell "$T/up4" wait "$T/go4" fire 3 text &
read -r V <"$T/up4"
user "dtrace -l -n 'victim*:::tick'" | awk 'NR > 1 { print $2, $5 }' | sed "s/$V/PID/"
echo go >"$T/go1"
wait $first
echo go >"$T/go2"
wait $second
echo go >"$T/go3"
wait $third
echo go >"$T/go4"
wait $V
await grep -q 'tick 3' "$T/out"
kill $tracer
wait $tracer || :
sort "$T/out" | uniq -c | grep tick
echo "--- asked for by number, and executed"
echo 0 >/proc/sys/fs/suid_dumpable
for kind in setuid unreadable; do
	user "victim-$kind tell $T/up wait $T/go" &
	read -r V <"$T/up"
	user "dtrace -q -p $V -n 'pid\$target::main:entry { exit(0); }'" 2>&1 | sed "s/ $V/ PID/"
	echo go >"$T/go"
	user "dtrace -q -c 'victim-$kind print ran' -n 'pid\$target::main:entry { exit(0); }'" 2>&1
done
sites
wait
echo $dumpable >/proc/sys/fs/suid_dumpable
