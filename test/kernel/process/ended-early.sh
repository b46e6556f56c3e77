# SPDX-License-Identifier: MIT
# If a process of -c ends while dtrace still reads the D program, dtrace prints a message, since nothing of it is traced.
. ../_lib.sh
pipes program
dtrace -q -s "$T/program" -c 'sleep 100' >"$T/out" 2>&1 &
D=$!
exec 3>"$T/program" # when dtrace opens it, the process has come to its main
V=$(grep -l "^PPid:.$D$" /proc/[0-9]*/status 2>/dev/null | head -n 1)
V=${V#/proc/}
V=${V%/status}
kill -KILL $V
await grep -q 'State:.Z' /proc/$V/status
echo 'BEGIN { printf("begins\n"); }' >&3
exec 3>&-
wait $D
echo "status $?"
sed 's/[0-9][0-9]*/PID/' "$T/out"
