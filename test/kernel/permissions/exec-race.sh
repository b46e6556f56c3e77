# SPDX-License-Identifier: MIT
# A user registers and enables probes of a process, again and again, while it executes setuid
# programs and its number is reused. The user gets no data of those.
# @@timeout: 90
. ./_lib.sh
policy 'user user dtrace_proc dtrace_user'
cp "$BIN/victim" /usr/bin/victim-setuid
cp "$BIN/noted" /usr/bin/noted-setuid
chmod 4755 /usr/bin/victim-setuid /usr/bin/noted-setuid
su user -c "exec dtrace -q -Z -x switchrate=20ms -n 'BEGIN { printf(\"@tracing\n\"); }
	victim*:::tick, noted*:::plain { printf(\"%s %s\n\", execname, uid ? \"own\" : \"other\"); }'" >"$T/out" 2>&1 &
tracer=$!
await grep -q @tracing "$T/out"
su user -c "while [ ! -e $T/end ]; do
	$BIN/victim fire 1 run /usr/bin/victim-setuid fire 1
	/bin/sh -c 'exec /usr/bin/noted-setuid' >/dev/null
done" &
runner=$!
pipes up go
chmod 666 "$T/up" "$T/go"
user "$BIN/victim tell $T/up wait $T/go" &
own=$!
read -r V <"$T/up"
su user -c "
end=\$((\$(date +%s) + 8))
while [ \$(date +%s) -lt \$end ]; do
	for pid in \$(pidof victim noted noted-setuid victim-setuid sh); do
		dtrace -l -p \$pid >>$T/list 2>/dev/null
	done
done"
touch "$T/end"
release
wait $runner $own
kill $tracer
wait $tracer || :
sort "$T/out" | grep -v @tracing | sort -u
grep -q "victim$V" "$T/list" && echo "own are listed"
grep -c setuid "$T/list" || :
