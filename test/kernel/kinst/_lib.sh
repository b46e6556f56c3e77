# SPDX-License-Identifier: MIT
# _lib.sh - functions of the cases of kinst.
. ../_lib.sh

# load, unload - load and unload a module with instructions to trace. call N - have it call each of its functions N times.
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

# armed - print how many kprobes the provider has.
armed()
{
	awk '$1 == "instr" { print $2 }' /proc/dtrace/stats
}
