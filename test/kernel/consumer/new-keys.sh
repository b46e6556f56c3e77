# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# @@timeout: 60
# At default sizes, two aggregations take 20,000 new keys each before they are read once, and there is
# memory for as many elements of an associative array with strings as keys.
. ../_lib.sh
dtrace -q -x aggrate=1h -c 'victim fire 20000' -n '
victim$target:::tick { @[arg0] = count(); @s[execname, strjoin("key ", lltostr(arg0))] = sum(arg0); }
victim$target:::tick { seen[execname, strjoin("key ", lltostr(arg0))] = arg0; }
victim$target:::tick /seen[execname, strjoin("key ", lltostr(arg0))] == arg0/ { @found = count(); }
END { printa("k %@d\n", @); printa("s %s %s %@d\n", @s); printa("found %@d\n", @found); }' >"$T/out" 2>&1
grep -c '^k 1$' "$T/out"
sed -n 's/^s victim key //p' "$T/out" | awk '$1 == $2' | sort -u | wc -l
grep found "$T/out"
! grep drop "$T/out"
