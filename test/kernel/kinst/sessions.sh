# SPDX-License-Identifier: MIT
# Two sessions and both providers probe the same instruction; each may end, also by being killed, without harm to the others.
. ./_lib.sh
load
begin()
{
	session "$1" -n 'kinst::instructions_known:5 { @ = count(); } instr::instructions_known:5 { @i = count(); }
	END { printa("%@d", @); printa(" %@d\n", @i); }'
}
begin one
one=$SESSION
begin two
two=$SESSION
begin three
armed
call 10
kill -INT $one
wait $one
output one
call 20
kill -KILL $SESSION
wait $SESSION 2>/dev/null
call 30
kill -INT $two
wait $two
output two
armed
unload
