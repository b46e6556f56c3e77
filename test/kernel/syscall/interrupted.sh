# SPDX-License-Identifier: MIT
# A call that a signal handler interrupts, and that the kernel never restarts then, returns EINTR to a tracer, as to its program.
. ../_lib.sh
command -v perl >/dev/null || { echo "needs perl"; exit 77; }
trace -n 'syscall::pause:entry /execname == "perl"/ { printf("waits\n"); }
	syscall::pause:return /execname == "perl"/ { printf("returns %d, errno %d\n", (int)arg0, errno); }'
perl -e '$SIG{USR1} = sub { }; sleep' &
waits=$!
await grep -q waits "$T/trace.out"
kill -USR1 $waits
wait $waits
untrace
