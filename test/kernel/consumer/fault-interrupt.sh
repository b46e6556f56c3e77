# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# An interrupt ends tracing amid a flood of faults, which goes on all the time: END fires, and few messages follow.
. ../_lib.sh
trace -n 'victim*:::tick { trace(*(int *)(uintptr_t)(arg0 * 4096)); }
	victim*:::tick /arg0 % 2/ { trace(stringof((char *)arg0)); } END { printf("end\n"); }'
victim forever &
V=$!
await grep -q 'more like this' "$T/trace.err"
before=$(wc -l <"$T/trace.err")
kill -INT $TRACE
wait $TRACE
echo "status $?"
kill -0 $V && echo "the flood goes on"
grep end "$T/trace.out"
after=$(($(wc -l <"$T/trace.err") - before))
[ $after -lt 100 ] && echo "few lines" || echo "$after lines after the interrupt"
kill -KILL $V
wait $V 2>/dev/null || true
