# SPDX-License-Identifier: MIT
# Hits within the handler of another probe are reported as missed.
. ./_lib.sh
# missed - print how many hits have been missed.
missed()
{
	awk '$1 == "instr-missed" { print $2 }' /proc/dtrace/stats
}
load
before=$(missed)
dtrace -qn 'kinst::instructions_known:5 { @[*(int *)regs[R_RSP] != 0] = count(); }
kinst::copy_from_kernel_nofault:0 { @n["no hit but those within the handler"] = count(); }
tick-1s /n++ == 3/ { exit(0); } END { printa("%d: %@d\n", @); }' -c "sh -c 'echo 100 >/sys/module/instructions/parameters/call; sleep 2'" >"$T/out" 2>"$T/err"
grep '^[01]: ' "$T/out" | awk '{ n += $2 } END { print n, "hits" }'
grep -c 'events missed' "$T/err" | awk '$1 > 0 { print "reported" }'
n=$(($(missed) - before))
[ $n -ge 100 ] && [ $n -lt 200 ] && echo "counted once" || echo "$n counted"
unload
