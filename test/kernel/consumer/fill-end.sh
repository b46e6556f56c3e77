# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Full fill buffers leave space for END; a ring keeps END's records and the last before it. When a
# fill buffer is full tracing ends by itself.
. ../_lib.sh
for policy in fill ring; do
	dtrace -q -x bufpolicy=$policy -x bufsize=2k -c 'victim fire 2000' -n '
BEGIN { printf("begin\n"); }
victim$target:::tick { printf("%d\n", arg0); }
END { printf("end\n"); }' >"$T/$policy" 2>"$T/err"
	echo "$policy: status $?"
	[ $policy = fill ] && grep -c begin "$T/$policy"
	tail -n 2 "$T/$policy"
	grep -v drops "$T/err"
done
timeout 20 dtrace -q -x bufpolicy=fill -x bufsize=1k -x cpu=0 -n 'tick-1ms { trace(1); } END { printf("end\n"); }' 2>/dev/null |
	sed 's/^11*end/ones and the end/'
