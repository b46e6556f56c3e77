# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# -W by a user waits for programs of their own: another user's program of that name is not stopped, nor a setuid one.
# @@timeout: 90
. ./_lib.sh
policy 'user user dtrace_proc'
cp "$BIN/victim" /usr/bin/victim-setuid
chmod 4755 /usr/bin/victim-setuid
for program in victim victim-setuid; do
	echo "--- $program"
	UNDER='become groups 1000 gid 1000 uid 1000 run'
	$UNDER dtrace -W $program -n 'BEGIN { printf("%s", execname); } victim*:::tick { printf("tick %d", arg0); }' \
		-n "pid\$target:$program:fire_tick:entry { printf(\"entry %d\", arg0); }" >"$T/out" 2>"$T/err" &
	W=$!
	await grep -q waiting "$T/err"
	$program fire 1
	[ $program = victim ] || user "$program fire 2"
	usleep 300000
	kill -0 $W && echo "still waiting"
	sites
	[ $program = victim ] && user "victim fire 3" || kill $W
	wait $W 2>/dev/null
	echo "status $?"
	grep -o -e 'tick [0-9]' -e 'entry [0-9]' "$T/out"
done
sites
