# SPDX-License-Identifier: MIT
# @@worlds: user the module shares no memory with processes
# @@timeout: 120
# A process that writes to the memory that dtrace shares with it causes drops and wrong records: dtrace neither crashes nor hangs, and
# takes no more memory than the buffers of a session. To run it by hand for longer:
#	dtrace -x world=user -x switchrate=1ms -x aggrate=1ms -s _scribbled.d -c 'scribbler SEED ROUNDS'
[ -n "$DTRACE_SANITIZED" ] || ulimit -v 4000000 # sanitizers reserve terabytes
for seed in 1 2 3 4; do
	for form in text json; do
		[ $form = text ] && set -- || set -- -x oformat=json
		dtrace -x switchrate=1ms -x aggrate=1ms "$@" -s _scribbled.d -c "scribbler $seed 40" >"$T/out" 2>"$T/err"
		status=$?
		[ "$(grep -c 'some text' "$T/out")" -gt 100 ] && seen=records || seen=nothing
		echo "$form: $status, $seen"
		[ $status = 0 ] || tail -5 "$T/err"
	done
done
