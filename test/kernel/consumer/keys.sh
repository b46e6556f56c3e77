# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# @@timeout: 60
# An aggregation takes thousands of new keys a second at default sizes, with none lost.
. ../_lib.sh
dtrace -q -c 'victim fire 6000' -n '
victim$target:::tick { @[arg0] = count(); @s[arg0, "a string of a key"] = sum(arg0); }
END { printa("k %@d\n", @); printa("s %@d\n", @s); }' >"$T/out" 2>&1
grep -c '^k 1$' "$T/out"
grep -c '^s ' "$T/out"
! grep drop "$T/out"
