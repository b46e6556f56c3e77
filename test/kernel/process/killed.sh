# SPDX-License-Identifier: MIT
# @@long: yes
# @@worlds: kernel pid probes of every instruction
# @@kernels: 6.1 6.12
# kill -9 of dtrace or of the program, at any time: the program runs on with its text restored, or
# tracing of it ends. Every instruction of a function, also in 32-bit programs.
# @@timeout: 150
. ../_lib.sh
pipes mid on
is_patched() { [ "$(sites)" -gt 0 ]; }

for program in victim victim-i386; do
	echo "-- $program: dtrace is killed while all instructions fire"
	start $program thread sum 200000 end sum 200000 join tell "$T/mid" wait "$T/on" sum 10 text
	session killed -p "$V" -n 'pid$target::sum_eight: { @[probename] = count(); }
		pid$target::sum_eight:entry /!any++/ { printf("@fires\n"); }'
	release
	await grep -q @fires "$T/killed.out"
	[ "$(sites)" -gt 5 ] && echo "every instruction is patched, and fires"
	usleep 200000
	kill -9 $SESSION
	wait $SESSION 2>/dev/null
	echo "locations patched: $(sites)"
	read -r pid <"$T/mid"
	echo go >"$T/on"
	wait "$V"
	echo "status $?"

	echo "-- $program: dtrace is killed when the first locations are patched"
	start $program sum 10 text
	dtrace -q -p "$V" -n 'pid$target:a.out:: { @ = count(); }' >/dev/null 2>&1 &
	SESSION=$!
	await is_patched && echo "locations are patched"
	kill -9 $SESSION
	wait $SESSION 2>/dev/null
	finish
	echo "status $?, locations patched: $(sites)"

	echo "-- $program: dtrace is killed while it enables and while it ends"
	for delay in 20000 50000 100000 200000; do
		start $program sum 10 text
		dtrace -q -p "$V" -n 'pid$target::*: { @ = count(); } tick-100ms { exit(0); }' >/dev/null 2>&1 &
		SESSION=$!
		usleep $delay
		kill -9 $SESSION
		wait $SESSION 2>/dev/null
		finish
		echo "status $?, locations patched: $(sites)"
	done

	echo "-- $program: it is killed"
	start $program thread sum 10000000 end sum 10000000
	session victim -p "$V" -n 'pid$target::sum_eight: { @[probename] = count(); }
		pid$target::sum_eight:entry /!any++/ { printf("@fires\n"); }'
	release
	await grep -q @fires "$T/victim.out" && echo "it is traced"
	kill -9 "$V"
	wait "$V" 2>/dev/null
	echo "status $?"
	wait $SESSION
	echo "dtrace: status $?, locations patched: $(sites)"
done
