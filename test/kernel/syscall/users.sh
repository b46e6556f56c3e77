# SPDX-License-Identifier: MIT
# An ordinary user with dtrace_user sees the system calls of their own processes and of no others; without a right, none.
# @@timeout: 60
. ../_lib.sh
. ../_policy.sh
policy 'user user dtrace_user'
cat >"$T/own.d" <<'END'
BEGIN { printf("@tracing\n"); }
syscall::getppid:entry /execname == "calls"/ { @[uid] = count(); }
syscall::wait4:return /execname == "calls" && uid == 1000/ { exit(0); }
END { printa("uid %d: %@d calls\n", @); }
END
chmod 644 "$T/own.d"
user "dtrace -q -s $T/own.d" >"$T/seen" &
session=$!
await is_tracing $session "$T/seen"
"$BIN/calls" plain child
user "$BIN/calls plain child"
wait $session
grep uid "$T/seen"
echo "--- no right"
policy '# nobody'
user "dtrace -n syscall:::entry" 2>&1 | sed 's/^dtrace: //'
