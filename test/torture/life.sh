# SPDX-License-Identifier: MIT
# @@kernels: debug
# @@timeout: 100
# Eight programs fork, execute, load and unload libraries while sessions open, enable and are
# killed with -9.
# Afterwards nothing is left: no session, no tracepoint, no process; texts are as they were; the
# module unloads.
. ../kernel/_lib.sh
seconds=${TORTURE_SECONDS:-45}

worker()
{
	while [ ! -e "$T/stop" ]; do
		victim repeat 3 fire 2 guarded 2 fork fire 3 fork fire 1 end join end \
			dlopen "$BIN/libplug.so" plug 2 dlclose thread fire 5 end \
			thread guarded 5 end join vfork fire 2 end join end \
			exec fire 1 dlopen "$BIN/libplug.so" fork plug 2 end join fire 1
	done >/dev/null
}

killer()
{
	while [ ! -e "$T/stop" ]; do
		dtrace -q -n '
victim*:::, plug*::: { @[probename] = count(); }
tick-3s { exit(0); }' >/dev/null 2>&1 &
		usleep 700000
		kill -KILL $! 2>/dev/null
		wait $! 2>/dev/null
	done
}

start victim text
for i in 1 2 3 4 5 6 7 8; do
	worker &
	JOBS="$JOBS $!"
done
killer &
JOBS="$JOBS $!"
torture-session life "$seconds" >"$T/life" &
renice -n -15 -p $! >/dev/null
wait $!
echo "status $?"
cat "$T/life" >/dev/kmsg
awk '{ gsub(",", ""); print ($4 > 5 && $8 > 5) ? "sessions came and went" : $0 }' "$T/life"
touch "$T/stop"
wait $JOBS
finish
await eval '! rows processes | grep -q victim'
rows sessions
rows fasttrap
rows probes | grep -e victim -e plug
rmmod dtrace && echo unloaded
insmod /vm/dtrace.ko
victim guarded 1 text
