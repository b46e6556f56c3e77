# SPDX-License-Identifier: MIT
# @@long: yes
# @@timeout: 280
# Send nearly correct requests to the device that registers probes in other processes, stops threads
# and takes unwind tables, and nearly correct policies to the trace device. Enable the probes that
# the first device accepts meanwhile.
. ./_lib.sh
echo 0 >/proc/sys/debug/exception-trace	# sites that are wrong kill programs: that is no news
trap 'echo 1 >/proc/sys/debug/exception-trace' EXIT
cp "$BIN/torture-fasttrap" "$T/prey"

tracer()
{
	while [ ! -e "$T/stop" ]; do
		dtrace -q -Z -n '
?id*:::, p?d*:a.out:prey: { @[probename, ustack(4)] = count(); }
tick-2s { exit(0); }' >/dev/null 2>&1
	done
}

tracer &
JOBS=$!
await eval 'rows sessions | grep -q active'
torture-fasttrap "${TORTURE_SECONDS:-10}" "$T/prey" >"$T/told" 2>&1
told $?
touch "$T/stop"
wait $JOBS
await eval '! rows processes | grep -q prey'
rows sessions
rows fasttrap
rows probes | grep ' pid'
rmmod dtrace && echo unloaded
insmod /vm/dtrace.ko
