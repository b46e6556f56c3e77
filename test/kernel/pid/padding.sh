# SPDX-License-Identifier: MIT
# Small functions of a program at low addresses can be traced if padding of int3 or NOPs is behind
# them, together or alone. The program's own breakpoints behind functions stay as they are.
. ../_lib.sh
for function in '*' add same none jump nop nops; do
	dtrace -q -x aggsortkey -c padded -n '
		pid$target:a.out:padded_'"$function"':entry /probefunc != "padded_local" && probefunc != "padded_label"/ { @[probefunc, probename] = count(); }
		pid$target:a.out:padded_'"$function"':return /probefunc != "padded_local" && probefunc != "padded_label"/ { @[probefunc, probename] = count(); }
		END { printa("%s:%s %@d\n", @); }' 2>"$T/err" | sed /^$/d
	[ "$function" = '*' ] || cat "$T/err"
done
