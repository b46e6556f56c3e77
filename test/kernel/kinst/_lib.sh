# SPDX-License-Identifier: MIT
# _lib.sh - what the cases of kinst share.
. ../_lib.sh

# load, unload - the module of /test/modules with instructions to trace. call N - have it call each of its functions N times.
load()
{
	insmod /test/modules/instructions.ko
}
unload()
{
	rmmod instructions
}
call()
{
	echo "$1" >/sys/module/instructions/parameters/call
}
calling="sh -c 'echo 100 >/sys/module/instructions/parameters/call'"

# armed - how many kprobes there are for the provider.
armed()
{
	awk '$1 == "instr" { print $2 }' /proc/dtrace/stats
}
