# SPDX-License-Identifier: MIT
# A user who may trace, but not see the kernel, can do nothing to the process that BEGIN's CPU
# is in, nor read its memory, nor write to it.
. ./_lib.sh
policy 'user user dtrace_proc dtrace_user'
sh -c 'while :; do :; done' &
busy=$!
await grep -q 'while :' /proc/$busy/cmdline	# it has its own memory
taskset -p 2 $busy >/dev/null
words=$(cut -d ' ' -f 48 /proc/$busy/stat)	# where its arguments are
su user -c "taskset 1 dtrace -q -w -x cpu=1 -n '
BEGIN { raise(9); }
BEGIN { stop(); }
BEGIN { trace(ucaller); }
BEGIN { printf(\"read %s\n\", copyinstr($words)); }
BEGIN { printf(\"read %d\n\", *(char *)copyin($words, 1)); }
BEGIN { this->p = (char *)alloca(1); copyinto($words, 1, this->p); printf(\"read %d\n\", *this->p); }
BEGIN { copyoutstr(\"XY\", $words, 3); printf(\"written\n\"); }
BEGIN { this->q = (char *)alloca(1); *this->q = 90; copyout(this->q, $words, 1); printf(\"written\n\"); }
BEGIN { exit(0); }
ERROR { printf(\"fault %d\n\", arg4); }'" 2>"$T/err"
grep -c 'invalid user access' "$T/err"
sed -n 's/^State:[^A-Za-z]*\([RT]\).*/\1/p' /proc/$busy/status
tr '\0' ' ' </proc/$busy/cmdline
echo
kill -9 $busy
wait $busy 2>/dev/null || :
