# SPDX-License-Identifier: MIT
# @@worlds: user the module joins no processes
# A process that a pattern matches ends while dtrace joins it. That is worth no message.
. ../_lib.sh
command -v strace >/dev/null || { echo "no strace"; exit 77; }
export ASAN_OPTIONS=detect_leaks=0 # LeakSanitizer does not work under strace
export T
start victim
strace -qqo "$T/calls" -e trace=ptrace -e inject=ptrace:signal=STOP:when=1 \
	sh -c 'echo $$ >"$T/dtrace"; exec "$@"' sh \
	dtrace -Zqn 'BEGIN { printf("traces\n"); exit(0); } victim*:::tick { }' >"$T/out" 2>&1 &
D=$!
await grep -q 'stopped by SIGSTOP' "$T/calls"
kill -KILL "$V"
await grep -q 'State:.Z' "/proc/$V/status"
kill -CONT "$(cat "$T/dtrace")"
wait $D "$V" 2>/dev/null
sed "s/$V/PID/g" "$T/out"
