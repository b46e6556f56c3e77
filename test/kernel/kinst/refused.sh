# SPDX-License-Identifier: MIT
# An instruction that cannot be probed is refused with the reason if it is named, and left out of patterns.
. ./_lib.sh
load
branch=$(cat /sys/module/instructions/parameters/branch 2>/dev/null)
# symbol NAME - print the address of a symbol. refused DESCRIPTION - print why it is refused; tracing ends at once if it is not.
symbol()
{
	awk -v "name=$1" '$3 == name { print "0x" $1 }' /proc/kallsyms
}
refused()
{
	dtrace -n "$1" -n 'BEGIN { exit(0); }' 2>&1 | tail -n 1 | sed 's/^ *^* *//'
}
refused kinst::instructions_known:6
refused kinst::instructions_known:1000
# the first byte behind the function, where an instruction of another one begins
end=$(($(symbol instructions_behind) - $(symbol instructions_known)))
refused "kinst::instructions_known:$end"
refused kinst::instructions_known:15
if [ "$branch" ]; then
	refused "kinst::instructions_branch:$branch"
else
	echo "the kernel patches no branches"
fi
dtrace -ln kinst::instructions_last: 2>&1 | grep -c 'last one of its module\|last 0$'
refused kinst::get_kprobe:0
refused kinst:dtrace:dtrace_fire:0
refused kinst::no_such_function:0
refused kinst:vmlinux:instructions_known:0
refused kinst::instructions_known:entry
refused kinst::instructions_known:007
for many in "kinst:::" "kinst::vfs_*:0" "kinst:::0" "instr:::"; do
	refused "$many"
	dtrace -n "$many" -n 'BEGIN { exit(0); }' >/dev/null 2>&1 || echo "status $?"
done
dtrace -Zqn 'kinst::instructions_known:6 { } BEGIN { printf("with -Z it matches nothing\n"); exit(0); }' | sed '/^$/d'
dtrace -ln kinst::instructions_known:6 2>&1 | sed -n 's/^dtrace: \(.\)/\1/p'
dtrace -ln kinst::instructions_known: >/dev/null
dtrace -ln 'kinst::instructions_branch:' | awk -v at="${branch:-1000}" 'NR > 1 && $5 >= at && $5 < at + 2 { print "the jump label is listed" }'
awk '$1 == "instr-skipped" && $2 > 0 { print "left out" }' /proc/dtrace/stats
unload
