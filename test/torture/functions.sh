# SPDX-License-Identifier: MIT
# @@long: yes
# @@timeout: 600
# Every function of the kernel is traced, one part of the list after another, with much of what a clause may do: none calls itself
# without end, hangs or crashes the kernel. The kernel's log names the part, so that one that does harm can be divided by hand.
# Functions that ftrace cannot patch are named one by one, which takes long: one of $FUNCTIONS_STEP of them (1: all).
. ./_lib.sh
step=${FUNCTIONS_STEP:-64}
[ "$KERNEL" = debug ] && long=1s || long=200ms
[ -e /sys/kernel/btf/vmlinux ] && comm='stringof(curthread->comm)' || comm=execname # a member needs types

worker()
{
	while [ ! -e "$T/stop" ]; do
		"$BIN/calls" plain child
		"$BIN/calls-i386" plain handler
		"$BIN/lives" tree 2
		"$BIN/talks" own tcp4 1 9
		cat /proc/self/maps /proc/meminfo /proc/interrupts
		dd if=/dev/zero of="$T/file" bs=4k count=4
	done >/dev/null 2>&1
}

# trace_part NAME DESCRIPTION - trace probes with stacks, arguments and variables, and note that it is done.
trace_part()
{
	echo "functions: $1" >/dev/kmsg
	dtrace -q -Z -x aggsize=4m -x dynvarsize=1m -n "$2 { @[probefunc, probename] = count(); @s[stack(8)] = max(arg0 + arg1 + arg7);
			self->n++; seen[tid, cpu] = strjoin(execname, $comm); }
		tick-$long { exit(0); } END { trunc(@); trunc(@s); printf(\"traced\\n\"); }" 2>>"$T/errors" | grep traced >>"$T/traced"
	parts=$((parts + 1))
}

worker &
parts=0
dtrace -lP fbt | awk '$3 == "vmlinux" && $5 == "entry" { print $4 }' >"$T/listed"
[ "$(wc -l <"$T/listed")" -gt 20000 ] && echo "many functions"
for first in $(cut -c1 "$T/listed" | sort -u); do
	trace_part "$first*" "fbt:vmlinux:$first*:"
done

# labels in functions are among these symbols: -Z allows those that have no probe
awk -v step="$step" 'NR == FNR { listed[$1]; next }
	$2 ~ /^[tT]$/ && NF == 3 && $3 !~ /[.]|^__pfx_|^__cfi_/ && !($3 in listed) && n++ % step == 0 { print $3 }' "$T/listed" /proc/kallsyms >"$T/others"
n=$(wc -l <"$T/others")
[ $((n * step)) -gt 2000 ] && echo "many others"
for from in $(seq 1 100 "$n"); do
	trace_part "others from $from" "$(awk -v from="$from" 'NR >= from && NR < from + 100 {
		printf "%sfbt:vmlinux:%s:", (NR == from ? "" : ","), $1 }' "$T/others")"
done
touch "$T/stop"
wait
[ "$(grep -c . "$T/traced")" = $parts ] && echo "each part was traced"
grep -v 'drop\|missed\|more errors\|error on enabled probe\|invalid address\|more like this' "$T/errors" | sort | uniq -c | head
rows sessions
awk '/^functions |^instr / { print $1, $2 }' /proc/dtrace/stats | sort
