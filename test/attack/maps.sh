# SPDX-License-Identifier: MIT
# Processes map one page of a file very often. To set a breakpoint there, or to remove it, uprobes goes through all mappings, and
# every fork on the machine waits: only root may do that, or users if the file has few mappings. If the mappings come later, the
# breakpoints of users stay, and are charged to them, until there are fewer mappings, root traces there, or the module ends.
# @@timeout: 120
. ./_lib.sh
policy 'user user dtrace_proc'
pipes go again
trace_as() { rm -f "$T/trace"; su "$1" -c "exec dtrace -q -n '$2 { } BEGIN { printf(\"@tracing\\n\"); }'" >"$T/trace" 2>&1 & TRACER=$!; }
begin() { trace_as "$@" && await grep -q @tracing "$T/trace"; }
end() { kill -INT $TRACER && wait $TRACER; }
states() { rows fasttrap | awk '{ print $1, $2 }' | sort | uniq -c | awk '{ print $1, $2, $3 }' | paste -sd , | grep . || echo none; }

# mapped "MAPPINGS [beside]" WHO... - print what becomes of a breakpoint that each of them sets at a page with that many mappings.
mapped()
{
	rm -f "$T/maps"
	su user -c "exec $BIN/attack-maps /tmp/maps 4 $1" <"$T/go" >"$T/maps" &
	maps=$!
	exec 3>"$T/go"
	await grep -q go "$T/maps"
	sed -n 's/^stop/'"$1"' mappings: stop/p' "$T/maps"
	shift
	for who; do
		begin "$who" 'maps*:::p'
		echo "$who: $(states)"
		end
	done
	exec 3>&-
	wait $maps
	rm /tmp/maps
}

# The limit is lowered: tens of thousands of mappings take minutes on a debug kernel.
limit=/sys/module/dtrace/parameters/user_mappings
echo "limit $(cat $limit)"
echo 200 >$limit
mapped 10 user
mapped 100 user root
# the process itself maps the page twice
echo 2 >$limit
mapped '100 beside' user
echo 200 >$limit

crowded() { rows stats | awk '$1 == "crowded" { print $2 }'; }
crowd_is() { [ "$(crowded)" = "$1" ]; }
holds() { [ "$(held)" = "$1" ]; }
held() { awk '$1 == 1000 { split($5, n, "/"); print n[1] }' /proc/dtrace/users; }

# other USER SEMAPHORE - another process has one of the probes, and its user traces it.
other()
{
	rm -f "$T/other"
	su "$1" -c "exec $BIN/attack-maps /tmp/maps $2" <"$T/again" >"$T/other" &
	other=$!
	exec 4>"$T/again"
	await grep -q go "$T/other"
	begin "$1" 'other*:::'
}
end_other()
{
	end
	exec 4>&-
	wait $other
}

# crowd COMMAND... - a user sets breakpoints at a page, which is mapped often later, and ends the session. Then a command lets them go.
crowd()
{
	rm -f "$T/maps"
	su user -c "exec $BIN/attack-maps /tmp/maps 4 10 90" <"$T/go" >"$T/maps" &
	maps=$!
	exec 3>"$T/go"
	await grep -q go "$T/maps"
	begin user 'maps*:::'
	await holds 41
	echo "-- $*: $(states)"
	[ $1 = unmap ] && first=$TRACER && other user 0
	echo >&3
	await grep -q more "$T/maps"
	if [ $1 = unmap ]; then
		second=$TRACER TRACER=$first
		end
		echo "one process is traced still: $(states)"
		TRACER=$second
		end_other
	else
		end
	fi
	echo "$(states)"
	await holds 82
	echo >&3
	await grep -q called "$T/maps"
	grep breakpoint "$T/maps"
	await crowd_is 42
	"$@"
	exec 3>&-
	wait $maps
	await crowd_is 0
	echo "at last: $(states)"
	rm /tmp/maps
}
unmap() { exec 3>&-; }
unload()
{
	rmmod dtrace
	insmod /vm/dtrace.ko
	policy 'user user dtrace_proc'
	echo 200 >$limit
}
# The user traces at the same places again, then root does, first with another semaphore.
trace()
{
	begin user 'maps*:::q'
	echo "the user again: $(states)"
	end
	await crowd_is 42
	other root 2
	echo "root, another semaphore: $(states)"
	end_other
	echo "then: $(states)"
	begin root 'maps*:::q'
	echo "root: $(states)"
	end
	echo "then: $(states), $(crowded) crowded"
	await holds 41
}

crowd trace
crowd unmap
crowd unload
echo 8192 >$limit
