# SPDX-License-Identifier: MIT
# A session of dtrace beside an adopter's tests: guest.sh has it with the module, user.sh without. SESSION is the path that
# its output and its messages are kept under, and $tracing the command.
# shellcheck shell=sh disable=SC2034,SC2154

# Every probe of the project's programs.
probes="$provider:::{ @[probename] = count(); } END { printa(\"%s %@d\n\", @); }"

# session PROGRAM...: trace by them
session()
{
	$tracing -Zq -x aggsize=4m -n "$* BEGIN { printf(\"ready\n\"); }" >"$SESSION.out" 2>"$SESSION.err" &
	session=$!
	while ! grep -qs ready "$SESSION.out"; do
		kill -0 "$session" || exit
		sleep 0.1
	done
}

# counts: end it, and print what it has counted.
counts()
{
	kill -INT "$session"
	wait "$session"
	grep -v '^ready$' "$SESSION.out" | grep .
}
