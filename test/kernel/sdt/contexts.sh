# SPDX-License-Identifier: MIT
# stack() and caller in hard and soft interrupts, and where a function has returned there: each begins where the probe is, and
# leads out of the interrupt, without an address that has no name.
# @@kernels: 6.1 6.12
# @@timeout: 60
. ../_lib.sh
insmod /test/modules/deferred.ko
module=/sys/module/deferred/parameters

# traced CLAUSES COMMAND - run dtrace with the command, and show which rows there are.
traced()
{
	dtrace -qn "$1" -c "sh -c '$2'" 2>&1 | sed 's/^ *//; s/ *$//; s/+0x[0-9a-f]*//g; /^$/d' | sort -u
}
echo "-- a hard interrupt"
traced 'fbt:deferred:deferred_interrupted:entry { printf("entry %a\n", caller); stack(1); }
	fbt:deferred:deferred_interrupted:return { printf("return %a\n", caller); }
	kinst:deferred:deferred_interrupted:0 { printf("instruction %a of %a\n", regs[R_PC], caller); }' "echo 5 >$module/interrupts"
echo "-- a soft interrupt"
traced 'fbt:deferred:deferred_timer_ends:entry { printf("entry %a\n", caller); stack(1); }
	fbt:deferred:deferred_timer_ends:return { printf("return %a\n", caller); }' "echo 5 >$module/timers"
echo "-- whole stacks"
for probe in fbt:deferred:deferred_interrupted:entry fbt:deferred:deferred_interrupted:return fbt:deferred:deferred_timer_ends:entry \
	sdt:timer::hrtimer_expire_entry profile-499; do
	dtrace -qn "$probe { @[stack(60)] = count(); }" -c "sh -c 'echo 20 >$module/interrupts; echo 20 >$module/timers; usleep 200000'" >"$T/out" 2>/dev/null
	awk -v "probe=$probe" '/^ +0x/ { nameless++ } /^ +[a-z0-9_]+`/ { frames++ } /^ +[0-9]+$/ { stacks++ }
		END { print probe, (stacks && frames > 3 * stacks ? "has stacks" : "has none"), nameless + 0, "frames without a name" }' "$T/out"
done
rmmod deferred
