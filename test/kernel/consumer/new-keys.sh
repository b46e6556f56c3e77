# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# @@timeout: 60
# At default sizes, two aggregations take 20,000 new keys each before they are read once.
. ../_lib.sh
dtrace -q -x aggrate=1h -c 'victim fire 20000' -n '
victim$target:::tick { @[arg0] = count(); @s[execname, strjoin("key ", lltostr(arg0))] = sum(arg0); }
END { printa("k %@d\n", @); printa("s %s %s %@d\n", @s); }' >"$T/out" 2>&1
grep -c '^k 1$' "$T/out"
sed -n 's/^s victim key //p' "$T/out" | awk '$1 == $2' | sort -u | wc -l
! grep drop "$T/out"
