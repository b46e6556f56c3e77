# SPDX-License-Identifier: MIT
# @@long: ci
# A function that a live patch replaces is traced as before: its probes fire once for each call, whichever function runs,
# and its return has the value of that. The new function has probes of its own.
# @@kernels: 6.1 6.12
. ./_lib.sh
transition_ended()
{
	[ "$(cat /sys/kernel/livepatch/patched/transition)" = 0 ]
}
load
trace -n 'fbt:functions:functions_negative:entry { @[probefunc, "entry", 0] = count(); }
	fbt:functions:functions_negative:return { @[probefunc, "return", (int)arg1] = count(); }
	END { printa("%s %s %d: %@d\n", @); }'
call 3
insmod /test/modules/patched.ko
await transition_ended
call 4
dtrace -qn 'fbt:patched:patched_negative:entry, fbt:functions:functions_negative:entry { @[probefunc, "entry"] = count(); }
	fbt:patched:patched_negative:return, fbt:functions:functions_negative:return { @[probefunc, "return"] = count(); }
	END { printa("both traced: %s %s %@d\n", @); }' -c 'sh -c "echo 2 >/sys/module/functions/parameters/call"' | grep . | sort
echo 0 >/sys/kernel/livepatch/patched/enabled
await rmmod patched
call 5
untrace >"$T/all"
sort "$T/all"
# a session that begins while the patch is there, and ends while it is
insmod /test/modules/patched.ko
await transition_ended
dtrace -qn 'fbt:functions:functions_negative:return { @[(int)arg1] = count(); } END { printa("within the patch: %d %@d\n", @); }' \
	-c 'sh -c "echo 6 >/sys/module/functions/parameters/call"' | grep .
call 1
echo 0 >/sys/kernel/livepatch/patched/enabled
await rmmod patched
unload
