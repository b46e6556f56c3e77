# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Destructive actions need -w: stop and raise act on the traced process, copyout changes its
# memory, system runs a command.
. ../_lib.sh
dtrace -n 'BEGIN { system("echo no"); exit(0); }'
echo "status $?"
dtrace -q -w -n 'BEGIN { system("echo %s %d", "yes", 5); exit(0); }'
dtrace -q -w -c 'victim pair 1 fire 1 print alive' -n 'victim$target:::tick { raise(9); }'
start victim fire 1 print continued
trace -w -n 'victim*:::tick { stop(); printf("stopped\n"); }'
release
await grep -q "^State:.T" "/proc/$V/status"
kill -CONT "$V"
wait "$V"
untrace
