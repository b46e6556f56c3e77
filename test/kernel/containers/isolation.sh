# SPDX-License-Identifier: MIT
# A user who may trace and is in a pid namespace sees nothing of their own processes outside of it.
# @@timeout: 90
. ../permissions/_lib.sh
policy 'user user dtrace_proc dtrace_user'
become pidns groups 1000 gid 1000 uid 1000 run dtrace -q -Z -x switchrate=20ms -n '
	BEGIN { printf("@tracing\n"); }
	victim*:::tick { printf("tick %d %s\n", arg0, probeprov); }
	profile-997 { @[execname] = count(); }' >"$T/out" 2>&1 &
tracer=$!
await grep -q @tracing "$T/out"
user "$BIN/victim fire 2"
su user -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
kill "$(pidof dtrace)"
wait $tracer || :
grep -cE 'tick|victim|sh' "$T/out" || :
