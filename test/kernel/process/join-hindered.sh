# SPDX-License-Identifier: MIT
# @@worlds: user the module works in no process
# Processes that have nearly reached their limits, that hide their memory, are debugged, stopped, or about
# to end.
# @@timeout: 120
[ -z "$DTRACE_SANITIZED" ] || { echo "sanitizers need more memory than its limits"; exit 77; }
. ./_join.sh
for limit in 'as 1000000000000' 'as 100000000' 'as 0' 'nofile 2' 'nofile 1' 'nproc 0' 'locked 65536' 'data 1000000' 'data 100000000'; do
	echo "-- limit: $limit"
	launch victim limit $limit
	case $limit in
	'as 1000000000000' | 'nofile 2' | nproc* | 'data 100000000') traced ;;
	*) refused ;;
	esac
done
echo "-- a limit of dtrace's: the size of files"
launch victim
ulimit -S -f 200
refused
ulimit -S -f unlimited
echo "-- a limit of dtrace's: data"
launch victim
ulimit -S -d 16000
refused
ulimit -S -d unlimited
echo "-- not dumpable"
launch victim undumpable
refused
echo "-- its main thread has ended"
victim tell "$T/up" thread wait "$T/go" fire 3 say "the thread lives" exit 0 end leave &
VICTIM=$!
read -r V <"$T/up"
await grep -q '^State:.Z' "/proc/$V/status"
traced
echo "-- its main thread ends while it is traced"
pipes go2
GO=$T/go2
victim tell "$T/up" thread wait "$T/go2" fire 3 exit 0 end wait "$T/go" leave &
VICTIM=$!
read -r V <"$T/up"
trace -p "$V" -n "$TICKS"
echo go >"$T/go"
await grep -q '^State:.Z' "/proc/$V/status"
finished
wait $TRACE
output
GO=

echo "-- debugged"
launch debugger victim
refused >"$T/out"
sed 's/([0-9]*)/(PID)/' "$T/out"
echo "-- stopped"
launch victim
kill -STOP "$V"
await grep -q '^State:.T' "/proc/$V/status"
trace -p "$V" -n "$TICKS"
grep -q '^State:.T' "/proc/$V/status" && echo "it stays stopped"
kill -CONT "$V"
finished
wait $TRACE
output
echo "-- a zombie"
mkfifo "$T/end"
sh -c "victim wait $T/end & echo \$! >$T/zombie; exec victim wait $T/go leave" &
VICTIM=$!
await grep -q victim "/proc/$VICTIM/comm" # the shell would take note of its child
read -r V <"$T/zombie"
echo >"$T/end"
await grep -q '^State:.Z' "/proc/$V/status"
refused
echo "-- in a sleep that nothing interrupts"
mkfifo "$T/in"
victim tell "$T/up" asleep fire 3 say "it lives" leave <"$T/in" &
VICTIM=$!
exec 8>"$T/in"
read -r V <"$T/up"
await grep -q '^State:.D' "/proc/$V/status"
GO=$T/in
refused
