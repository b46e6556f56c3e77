# SPDX-License-Identifier: MIT
# When tracing ends, is-enabled code is off and the text is restored, also in children that were forked meanwhile,
# whether they were traced or not. If dtrace is killed in the user world, this holds for the process itself after a hit,
# and for children after their next session.
. ../_lib.sh
pipes forked kid go-kid go-parent

# forked VERB ARG... - trace a victim that forks a child meanwhile, which carries out a verb.
forked()
{
	verb=$1
	shift
	echo "-- $verb $*"
	start victim guarded 1 fork $verb 1 \
		tell "$T/kid" wait "$T/go-kid" fire 1 guarded 1 text \
		tell "$T/kid" wait "$T/go-kid" fire 1 guarded 1 text tell "$T/kid" end \
		wait "$T/go-parent" fire 1 guarded 1 text join
	trace -p "$V" "$@"
	release
	read -r KID <"$T/kid"
}

# child_goes_on - let the child say how its code is.
child_goes_on()
{
	write_line "$T/go-kid"
	read -r KID <"$T/kid"
}

# parent_goes_on - let the parent say how its code is, and end.
parent_goes_on()
{
	write_line "$T/go-parent"
	wait "$V"
}

# ends VERB ARG... - end a session of a forked victim.
ends()
{
	forked "$@"
	kill -TERM $TRACE
	wait $TRACE
	child_goes_on
	child_goes_on
	parent_goes_on
}

ends guarded -n 'victim*:::tick, victim*:::guarded { @ = count(); }'
ends guarded -x followfork -n 'victim$target:::tick, victim$target:::guarded { @ = count(); }'
ends print -n 'victim$target:::tick, victim$target:::guarded { @ = count(); }'

forked guarded -n 'victim*:::tick, victim*:::guarded { @ = count(); }'
kill -KILL $TRACE
wait $TRACE 2>/dev/null
child_goes_on
echo "-- the next session"
dtrace -qp "$KID" -n 'victim$target:::tick { @ = count(); } BEGIN { exit(0); }' >/dev/null
child_goes_on
parent_goes_on
