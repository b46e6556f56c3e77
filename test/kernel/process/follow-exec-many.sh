# SPDX-License-Identifier: MIT
# @@worlds: kernel stops programs that are executed by names of pid probes
# Many descendants execute programs at once; while dtrace does not read, more do so than can be stopped: these do not wait, and are
# counted. dtrace or a stopped process is killed: no process waits, and nothing is left.
# @@kernels: 6.1 6.12
# @@timeout: 240
# @@long: yes
. ../_lib.sh
KIN=$BIN/kin
export KIN
cat >"$T/many" <<'END'
#!/bin/sh
i=0
while [ $i -lt $1 ]; do
	"$KIN" $2 vfork $3 &
	i=$((i + 1))
done
wait
END
chmod 755 "$T/many"
steps='pid$target::kin_step:entry { @ = count(); } END { printa("%@d\n", @); }'
stopped()
{
	awk '/^stopped / { print $2 }' /proc/dtrace/stats
}
left()
{
	rows processes
	echo "locations patched: $(sites)"
}

echo 4 at once, 52 in all:
dtrace -Zq -x followfork -c "$T/many 4 1 12" -n "$steps" 2>&1 | sed /^$/d
left

# deaf COMMAND - stop dtrace, then let its target run the command; set $HAVE to the number of stops before. With -w the kernel
# does not end the session of a dtrace that reads nothing for long.
deaf()
{
	[ -p "$T/on" ] || pipes on
	rm -f "$T/done"
	session deaf -w -x followfork -c "sh -c 'read x <$T/on; $1; echo done >$T/done'" -n "$steps"
	kill -STOP $SESSION
	HAVE=$(stopped)
	echo >"$T/on"
}
echo more than can be stopped:
deaf "$T/many 134 0 0"
await grep -q done "$T/done"
kill -CONT $SESSION
wait $SESSION
sed 's/^dtrace: [0-9]* /dtrace: N /' "$T/deaf.err"
left

echo one is killed that is stopped:
deaf "$KIN 0 & echo \$! >$T/pid; wait"
await eval "[ \$(stopped) -ge $((HAVE + 1)) ]"
kill -9 "$(cat "$T/pid")"
await grep -q done "$T/done"
kill -CONT $SESSION
wait $SESSION
cat "$T/deaf.err"
left

echo dtrace is killed that stops one:
deaf "$KIN 1 vfork 3"
await eval "[ \$(stopped) -ge $((HAVE + 1)) ]"
kill -9 $SESSION
await grep -q done "$T/done"
wait $SESSION 2>/dev/null
left
