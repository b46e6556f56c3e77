# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# -P -m -f -n -i with predicates and actions, in one word or several; an invalid description ends with status 1.
dtrace -qP 'dtrace{ trace(probename); exit(0); }'
dtrace -qP dtrace '/probename == "BEGIN"/' '{ trace("P"); exit(0); }'
dtrace -qm 'dtrace:' '/probename == "BEGIN"/ { trace("m"); exit(0); }'
dtrace -qf 'dtrace::/probename == "BEGIN"/' '{ trace("f"); exit(0); }'
dtrace -qn 'BEGIN' '/pid == $pid/ { trace("n"); exit(0); }'
dtrace -qi 1 '{ trace("i"); exit(0); }'
dtrace -q -i 1 -n 'BEGIN { trace("two"); exit(0); }'
dtrace -q -n 'int x; BEGIN { x = 1; }' -n 'BEGIN { trace(x); exit(0); }'
echo 'BEGIN { trace($1); trace($$2); exit(0); }' | dtrace -q -s /dev/stdin 5 'two words'
for id in 0 99999999 2-1 one; do
	dtrace -qi "$id" '{ exit(0); }' 2>/dev/null
	echo "status $?"
done
dtrace -qP 1 '{ exit(0); }' 2>/dev/null
echo "status $?"
dtrace -qm a:b:c 2>/dev/null
echo "status $?"
dtrace -qi 1 extra 2>/dev/null
echo "status $?"
