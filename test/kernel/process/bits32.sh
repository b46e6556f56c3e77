# SPDX-License-Identifier: MIT
# @@worlds: kernel 32-bit programs
# @@kernels: 6.1 6.12
# A 32-bit process: static probes, functions and their arguments, every instruction, stacks; by -p,
# -c and -W, and as a descendant.
# @@timeout: 180
. ../_lib.sh
start victim-i386 fire 1 sum 3
trace -p "$V" -n '
victim$target:::tick { printf("tick %d", arg0); ustack(1); }
pid$target::sum_eight:entry { printf("entry %d %d ... %d\n", arg0, arg1, arg7); ustack(2); }
pid$target::sum_eight:return { printf("return from %x: %d\n", arg0, arg1); }
pid$target:libc:exit:entry { printf("exit(%d)\n", arg0); }'
finish
wait $TRACE
output | sed 's/+0x[0-9a-f]*//'
echo "-- -c"
dtrace -q -c 'victim-i386 sum 2' -n 'pid$target::sum_eight: { printf("%s\n", probename); }'
echo "-- -W"
dtrace -W victim-i386 -n 'pid$target::sum_eight:return { printf("sum %d", arg1); }' >"$T/out" 2>"$T/err" &
W=$!
await grep -q waiting "$T/err"
victim-i386 sum 2
wait $W
grep -o 'sum [0-9]*' "$T/out"
echo "-- a descendant"
dtrace -Zq -x aggsortkey -x followfork -c "sh -c 'victim-i386 fire 1 sum 2; $BIN/kin 0'" \
	-n 'pid$target::sum_eight:entry, pid$target::kin_step:entry, victim$target:::tick {
		@[execname, probefunc, (int)arg0] = count(); } END { printa("%s %s %d: %@d\n", @); }' 2>&1 | sed /^$/d
