# SPDX-License-Identifier: MIT
# Without programs -e has nothing to complain of; without clauses, or without any that match, there is nothing to trace.
status()
{
	"$@"
	echo "status $?"
}
status dtrace -e
status dtrace -b 1m -e
status dtrace -q
status dtrace -q -xempty -s /dev/null
status dtrace -xempty -s /dev/null -s /dev/null
status dtrace -qn 'BEGIN { exit(3); }' -xempty -s /dev/null
# A list of what does not exist fails, so that a script can ask.
status dtrace -ln nosuch
status dtrace -ln nosuch -n BEGIN
