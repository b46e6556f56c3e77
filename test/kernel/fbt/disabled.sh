# SPDX-License-Identifier: MIT
# kernel.ftrace_enabled cannot be set to 0 while functions are hooked, and their probes fire on. While it is 0, probes at functions are
# refused, those at tracepoints are not.
. ./_lib.sh
switch=/proc/sys/kernel/ftrace_enabled
load
trace -n 'fbt:functions:functions_negative:entry { @ = count(); } END { printa("calls: %@d\n", @); }'
call 3
echo 0 2>"$T/err" >$switch
sed 's/.*: //' "$T/err"
call 4
untrace >"$T/all"
cat "$T/all"
await sh -c "echo 0 2>/dev/null >$switch"
dtrace -qn fbt:functions:functions_negative:entry 2>&1
dtrace -qn sched:::surrender 2>&1
dtrace -qn "sched:::surr*" 2>&1
dtrace -qn 'proc:::exec-success { exit(0); }' -c true && echo "a tracepoint: traced"
echo 1 >$switch
dtrace -qn 'fbt:functions:functions_negative:entry { @ = count(); } END { printa("calls with 1: %@d\n", @); }' \
	-c "sh -c 'echo 2 >/sys/module/functions/parameters/call'" | grep .
await unload
