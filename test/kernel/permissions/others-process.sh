# SPDX-License-Identifier: MIT
# A user who may trace, but not see the kernel, can do nothing to the process that BEGIN's CPU
# is in.
. ./_lib.sh
policy 'user user dtrace_proc dtrace_user'
sh -c 'while :; do :; done' &
busy=$!
taskset -p 2 $busy >/dev/null
su user -c "taskset 1 dtrace -q -w -x cpu=1 -n '
BEGIN { raise(9); }
BEGIN { stop(); }
BEGIN { trace(ucaller); }
BEGIN { exit(0); }
ERROR { printf(\"fault %d\n\", arg4); }'" 2>"$T/err"
grep -c 'invalid user access' "$T/err"
sed -n 's/^State:[^A-Za-z]*\([RT]\).*/\1/p' /proc/$busy/status
kill -9 $busy
wait $busy 2>/dev/null || :
