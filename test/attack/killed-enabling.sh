# SPDX-License-Identifier: MIT
# A session is killed while the instructions of its probes get their breakpoints. Another one has enabled the same probes meanwhile: it
# gets all breakpoints nevertheless.
# @@kernels: 6.1 6.12
# @@long: yes
# @@timeout: 240
. ./_lib.sh
armed() { awk '$1 == "instr" { print $2 }' /proc/dtrace/stats; }
# has PID COLUMN - whether the session of a process has any of what a column of /proc/dtrace/sessions counts.
has()
{
	awk -v pid="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) n = i }
		$1 == pid && $n > 0 { found = 1 } END { exit !found }' /proc/dtrace/sessions
}
arms() { grep -q site_hook_sync "/proc/$first/stack"; }
none_is_armed() { [ "$(armed)" = 0 ]; }
all_are_armed() { [ "$(armed)" = "$all" ]; }

trace -n 'vminfo::: { @ = count(); }'
all=$(armed)
kill -KILL $TRACE
wait $TRACE 2>/dev/null
await none_is_armed

# The other session matches many descriptions first, so that it has been given the probes' names, and does not have them yet.
seq 120 | sed 's/.*/fbt::no*such*function*&:entry/' | paste -sd, >"$T/slow"
dtrace -qZ -x switchrate=20ms -n "BEGIN { printf(\"@tracing\\n\"); }" -n "$(cat "$T/slow"), vminfo::: { @ = count(); }" >"$T/other.out" 2>"$T/other.err" &
other=$!
await has $other ENABLINGS
dtrace -q -n 'vminfo::: { @ = count(); }' >"$T/first" 2>&1 &
first=$!
await arms
await has $other ECBS
arms && during=yes
kill -KILL $first
wait $first 2>/dev/null
await is_tracing $other "$T/other.out"
await all_are_armed && echo "all breakpoints are there"
kill -KILL $other
wait $other 2>/dev/null
await none_is_armed && echo "and gone"
cat "$T/other.err"
[ "$during" ] || { echo "the first session had all breakpoints already: nothing is shown"; exit 77; }
