# SPDX-License-Identifier: MIT
# One session enables tens of thousands of probes. Meanwhile a session that waits to enable a probe can be killed, and so can one that
# traces: neither waits for the first one, which shares its processor, so that its stack can be read while it does not run.
# @@kernels: 6.1 6.12
# @@long: yes
# @@timeout: 120
. ./_lib.sh
trace -n 'sdt:::sched_switch { @ = count(); }'
tracing=$TRACE
taskset 1 sh -c 'while :; do :; done' &
busy=$!
taskset 1 dtrace -n 'fbt:::entry { @ = count(); }' >"$T/many" 2>&1 &
many=$!
patches() { grep -q function_hook_sync "/proc/$many/stack"; }
await patches && echo "many probes are being enabled"
dtrace -n 'sdt:::sched_wakeup { @ = count(); }' >"$T/one" 2>&1 &
one=$!
# dies_meanwhile PID - kill a process with -9, and print whether it ended before the many probes were enabled.
dies_meanwhile()
{
	kill -KILL "$1"
	while alive "$1" && alive $many && ! grep -q matched "$T/many"; do
		usleep 100000
	done
	alive "$1" && echo "lives on after SIGKILL" || echo "dead"
}
waits() { grep -q provider_ "/proc/$one/stack"; }
await waits && echo "one waits to be enabled: $(dies_meanwhile $one)"
echo "one traced: $(dies_meanwhile $tracing)"
grep -q matched "$T/many" || echo "many are still being enabled"
kill $many $busy
wait $many
head -1 "$T/many" | sed 's/ [0-9]* / N /'
