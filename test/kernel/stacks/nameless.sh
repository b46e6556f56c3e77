# SPDX-License-Identifier: MIT
# Address 0, which profile has for the user's code in the kernel, is one key for all processes.
# The control: the processes are two keys by their numbers.
. ./_lib.sh
dtrace -Z -q -n '
victim*:::tick { @m[umod(0)] = count(); @f[ufunc(0), "f"] = sum(2); @s[usym(0)] = max(arg0 * 0 + 1); @p[pid] = count(); }
END { printa("%A %@d\n", @m); printa("%A %s %@d\n", @f); printa("%A %@d\n", @s); printa("process %@d\n", @p); }
' -c 'sh -c "victim fire 2; victim fire 3"'
dtrace -Z -q -O -xoformat=json -n 'victim*:::tick { @m[umod(0)] = count(); }' -c 'sh -c "victim fire 2; victim fire 3"' |
	grep -o '"aggregation-data.*'
