# SPDX-License-Identifier: MIT
# _lib.sh - functions of the cases of torture, besides those of all kernel cases.
. ../kernel/_lib.sh

# told STATUS - write the output of a torture program, in $T/told, to the kernel's log; print it if
# the program failed, also because not enough has happened.
told()
{
	echo "status $1"
	cat "$T/told" >/dev/kmsg
	[ "$1" = 0 ] || cat "$T/told"
}

# ended SEED MS - wait for the end of the last session that was begun. Kill one of three within MS
# milliseconds.
ended()
{
	if [ $(($1 / 64 % 3)) = 0 ]; then
		usleep $(($1 / 1024 % ($2 * 1000)))
		kill -KILL $! 2>/dev/null
	fi
	wait $! 2>/dev/null
	echo >>"$T/sessions"
}

# work JOB... - run jobs beside each other, until the time of the case is over.
work()
{
	for job in "$@"; do
		$job &
		JOBS="$JOBS $!"
	done
	sleep "${TORTURE_SECONDS:-8}"
	touch "$T/stop"
	wait $JOBS
}
