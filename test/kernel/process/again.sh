# SPDX-License-Identifier: MIT
# @@worlds: user the module leaves nothing in processes
# @@timeout: 240
# One session after the other traces the functions of a process whose threads hit its sites all the time. They end by
# exit(), by Ctrl-C, or are killed after different times, while they join the process or trace it. The last ones
# have probes where the first one had them, and the process has no more mappings, descriptors and memory than it had
# in the beginning.
. ./_resumed.sh
resume 4
probes='pid$target:libc.so*::entry, pid$target:resumed::entry, resumed$target:::hit'

# ended NAME - run a session that ends by exit(); write its messages about functions without a probe to $T/NAME.
ended()
{
	dtrace -qp $V -n "$probes { @ = count(); hit = 1; } tick-100ms /hit/ { exit(0); }" 2>&1 >"$T/hits" | sort >"$T/$1"
	grep -q '[1-9]' "$T/hits" || echo "session $1 has no hits"
}

# interrupted - run a session that ends by SIGTERM.
interrupted()
{
	trace -p $V -n "$probes { @ = count(); }"
	untrace >/dev/null
}

# killed MICROSECONDS - run a session that is killed after that time.
killed()
{
	dtrace -qp $V -n "$probes { @ = count(); }" >/dev/null 2>&1 &
	usleep "$1"
	kill -9 $!
	wait $! 2>/dev/null
}

shared() { awk '/^RssShmem/ { print $2 }' "/proc/$V/status"; }

before=$(descriptors)
ended first
ended second # which has looked at the code of the first one
mappings=$(mappings) shared=$(shared)
for round in $(seq 12); do
	killed $((round * 100000))
	[ $((round % 6)) = 0 ] && interrupted
done
ended last
ended very-last
diff "$T/first" "$T/second" && diff "$T/first" "$T/last" && diff "$T/first" "$T/very-last" && echo "the same probes"
no_more "$mappings" "$before"
[ "$(shared)" -le $((shared + 4096)) ] && echo "no more memory" || echo "$(shared) KiB of shared memory, not $shared"

# All hits are counted as before.
all_hits 4
kill $V
