# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Programs that run with more than their user's rights are not the user's to trace, whatever
# suid_dumpable says; when a traced process becomes one its probes are gone.
# @@timeout: 90
. ./_lib.sh
policy 'user user dtrace_proc dtrace_user'
dumpable=$(cat /proc/sys/fs/suid_dumpable)
for kind in setuid setgid setuid-other; do
	cp "$BIN/victim" "/usr/bin/victim-$kind"
done
chown 7:1000 /usr/bin/victim-setuid-other
chgrp 7 /usr/bin/victim-setgid
chmod 4755 /usr/bin/victim-setuid /usr/bin/victim-setuid-other
chmod 2755 /usr/bin/victim-setgid
su user -c "exec dtrace -q -Z -x switchrate=20ms -n 'BEGIN { printf(\"@tracing\n\"); }
	victim*:::tick { printf(\"tick %d\n\", arg0); }'" >"$T/out" 2>&1 &
tracer=$!
await grep -q @tracing "$T/out"
for value in 0 1 2; do
	echo $value >/proc/sys/fs/suid_dumpable
	for kind in setuid setgid setuid-other; do
		user "victim-$kind fire 9"
		user "$BIN/victim fire 1 run /usr/bin/victim-$kind fire 9"
	done
done
echo $dumpable >/proc/sys/fs/suid_dumpable
echo "--- capabilities of a file's or a parent's"
become keep 13 gid 1000 uid 1000 run victim fire 9
echo "--- undumpable"
user "$BIN/victim fire 2 undumpable fire 9"
user "$BIN/victim fire 3"
await grep -q 'tick 3' "$T/out"
kill $tracer
wait $tracer || :
sort "$T/out" | uniq -c | grep tick
echo "--- asked for by number"
cp "$BIN/noted" /usr/bin/noted-setuid
chmod 4755 /usr/bin/noted-setuid
pipes up go
chmod 666 "$T/up" "$T/go"
user "noted-setuid tell $T/up wait $T/go" &
read -r V <"$T/up"
user "dtrace -l -p $V -n 'noted*:::'" 2>&1 | sed "s/ $V/ PID/"
echo go >"$T/go"
wait
