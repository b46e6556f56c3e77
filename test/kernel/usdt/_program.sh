# SPDX-License-Identifier: MIT
# _program.sh - trace $PROGRAM, a victim built in some way: arguments, is-enabled code, text. The
# output of the victim comes first, whichever program is faster.
. ../_lib.sh
dtrace -q -o "$T/seen" -c "$PROGRAM fire 2 wide pair 1 guarded 2 fork fire 1 end join text" -n '
victim$target:::tick { printf("tick %d\n", arg0); }
victim$target:::wide
{
	printf("%d %d %d %d %d %u\n", args[0], args[1], args[2], args[3], args[4], args[5]);
	printf("%d %u %s %d\n", args[6], args[7], copyinstr((uintptr_t)args[8]), args[9]);
}
victim$target:::pair { printf("%d %s\n", arg0, copyinstr(arg1)); }
victim$target:::guarded { printf("guarded %d\n", arg0); }'
cat "$T/seen"
start "$PROGRAM" text guarded 1
trace -n 'victim*:::tick,victim*:::guarded { @ = count(); }'
kill -KILL $TRACE
wait $TRACE 2>/dev/null
finish
