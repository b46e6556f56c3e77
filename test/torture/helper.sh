# SPDX-License-Identifier: MIT
# @@kernels: debug voluntary
# @@timeout: 80
# An ordinary user sends damaged DOF and noise to the helper device while root enables the probes
# that it accepts.
. ./_lib.sh
seconds=${TORTURE_SECONDS:-10}

tracer()
{
	while [ ! -e "$T/stop" ]; do
		dtrace -q -Z -n '
t*:::, p*:::*probe { @[probename] = count(); }
tick-2s { exit(0); }' >/dev/null 2>&1
	done
}

tracer &
JOBS=$!
dtrace -q -n 'profile-499 /execname == "torture-helper"/ { @[jstack(20, 512)] = count(); }' >/dev/null 2>"$T/sampler" &
SAMPLER=$!
await grep -q "^ *$SAMPLER .* active" /proc/dtrace/sessions
su user -c "$BIN/torture-helper $seconds $BIN/script.dof" >"$T/told"
told $?
touch "$T/stop"
wait $JOBS
kill -TERM $SAMPLER 2>/dev/null	# a slow machine's has ended by itself, and says so
wait $SAMPLER
grep -v unresponsive "$T/sampler"
await eval '! rows processes | grep -q torture'
rows fasttrap
rows probes | grep -c torture
head -n 1 /proc/dtrace/helper_errors | grep -q '[A-Z]' && echo "errors are told"
grep helper- /proc/dtrace/stats >/dev/kmsg
awk '/^helper-(runs|names|faults)/ { print $1, ($2 ? "counted" : "none") }' /proc/dtrace/stats
rmmod dtrace && echo unloaded
insmod /vm/dtrace.ko
