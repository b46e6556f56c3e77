# SPDX-License-Identifier: MIT
# @@kernels: debug voluntary
# @@timeout: 80
# Four programs fork, execute, load and unload libraries while sessions open, enable and are
# killed with -9.
# Afterwards nothing is left: no session, no tracepoint, no process; the code of programs is
# unchanged; the module unloads.
. ./_lib.sh

worker()
{
	while [ ! -e "$T/stop" ]; do
		victim repeat 3 fire 2 guarded 2 fork fire 3 fork fire 1 end join end \
			dlopen "$BIN/libplug.so" plug 2 dlclose thread fire 5 end \
			thread guarded 5 end join vfork fire 2 end join end \
			exec fire 1 dlopen "$BIN/libplug.so" fork plug 2 end join fire 1
	done >/dev/null
}

# Sessions of the command are killed while they begin, and while they trace.
killer()
{
	while [ ! -e "$T/stop" ]; do
		dtrace -q -Z -n '
victim*:::, plug*::: { @[probename] = count(); }
tick-60s { exit(0); }' >/dev/null 2>&1 &
		usleep 700000
		[ -e "$T/early" ] || await grep -q "^ *$! .* active" /proc/dtrace/sessions
		rm "$T/early" 2>/dev/null || : >"$T/early"
		kill -KILL $! 2>/dev/null
		wait $! 2>/dev/null
	done
}

start victim text
for i in 1 2 3 4; do
	worker &
	JOBS="$JOBS $!"
done
killer &
JOBS="$JOBS $!"
torture-session life "${TORTURE_SECONDS:-12}" >"$T/told" &
renice -n -15 -p $! >/dev/null
wait $!
told $?
touch "$T/stop"
wait $JOBS
finish
await eval '! rows processes | grep -q victim'
rows sessions
rows fasttrap
rows probes | grep -e 'victim[0-9]' -e 'plug[0-9]'
rmmod dtrace && echo unloaded
insmod /vm/dtrace.ko
victim guarded 1 text
