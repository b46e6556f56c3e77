# SPDX-License-Identifier: MIT
# @@kernels: debug voluntary
# @@timeout: 60
# Allocations fail at random in sessions and in programs that register: errors, no leaks, nothing
# left behind.
. ./_lib.sh
for fault in failslab fail_page_alloc; do
	cd /sys/kernel/debug/$fault || exit 1
	echo Y >task-filter
	echo 5 >probability
	echo -1 >times
	echo 0 >verbose
	echo N >ignore-gfp-wait
done
cd "$T" || exit 1

register()
{
	while [ ! -e "$T/stop" ]; do
		sh -c 'echo 1 >/proc/self/make-it-fail; exec victim fire 2 fork fire 1 end join'
	done >/dev/null 2>&1
}

register &
JOBS=$!
torture-session starve "${TORTURE_SECONDS:-10}" >"$T/told"
told $?
touch "$T/stop"
wait $JOBS
echo 0 >/sys/kernel/debug/failslab/probability
echo 0 >/sys/kernel/debug/fail_page_alloc/probability
await eval '! rows processes | grep -q victim'
rows sessions
rows fasttrap
rmmod dtrace && echo unloaded
insmod /vm/dtrace.ko
victim fire 1 text
