# SPDX-License-Identifier: MIT
# @@worlds: kernel the state of a session in /proc/dtrace
# @@kernels: 6.1 6.12
# Addresses of programs that ended long before dtrace prints them: children of fork, a program that was executed, a
# library that was loaded and unloaded again, and a program whose file was deleted as well.
. ./_lib.sh
dtrace -q -Z -x switchrate=3s -n 'script*:::at, victim*:::tick, plug*:::hit { ustack(1); }' >"$T/out" 2>&1 &
TRACE=$!
await grep -q "^ *$TRACE .* active" /proc/dtrace/sessions
./script run main
./script fork run main end
victim fork fire 1 end join dlopen ./libplug.so plug 1 dlclose
sh -c 'exec ./script-debugdata run main'
kill -TERM $TRACE
wait $TRACE
shown <"$T/out"

cp "$BIN/victim" "$T/deleted"
start "$T/deleted" fire 1
session gone -p "$V" -n 'pid$target:a.out:fire_tick:entry { @[ustack(1)] = count(); }'
rm "$T/deleted"
finish
wait $SESSION
shown <"$T/gone.out" | grep -v @tracing
