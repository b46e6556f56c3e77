# SPDX-License-Identifier: MIT
# @@worlds: kernel two sessions at one process
# @@long: yes
# A pid probe at the instruction of a static probe that has a semaphore: both work, whichever was
# first.
. ../_lib.sh
both()
{
	start victim guarded 2
	eval "one=$1 two=$2"
	session first -n "$one { @[probeprov] = count(); } END { printa(\"%s\\n\", @); }"
	FIRST=$SESSION
	trace -n "$two { @[probeprov] = count(); } END { printa(\"%s\\n\", @); }"
	rows fasttrap | awk '/contested|failed/'
	finish
	kill -TERM $FIRST
	wait $FIRST
	output first | grep . >"$T/first"
	untrace >"$T/second"
	sed "s/$V/PID/" "$T/first" "$T/second"
	sites
}
both 'pid$V:victim:fire_guarded:' 'victim$V:::guarded'
both 'victim$V:::guarded' 'pid$V:victim:fire_guarded:'
