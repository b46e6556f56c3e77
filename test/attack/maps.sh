# SPDX-License-Identifier: MIT
# Processes map one page of a file very often. To set a breakpoint there, uprobes goes through all mappings, and every fork on the
# machine waits: only root may do that, or users if the file has few mappings.
# @@timeout: 120
. ./_lib.sh
policy 'user user dtrace_proc'
pipes go
trace_as() { su "$1" -c "exec dtrace -q -n 'maps*:::p { } BEGIN { printf(\"@tracing\\n\"); }'" >"$T/trace" 2>&1 & TRACER=$!; }
state() { rows fasttrap | awk '{ print $1, $2 }'; }

# mapped MAPPINGS WHO... - print what becomes of a breakpoint that each of them sets at a page with that many mappings.
mapped()
{
	su user -c "exec $BIN/attack-maps /tmp/maps 4 $1" <"$T/go" >"$T/maps" &
	maps=$!
	exec 3>"$T/go"
	await grep -q go "$T/maps"
	sed -n 's/^stop/'"$1"' mappings: stop/p' "$T/maps"
	shift
	for who; do
		trace_as "$who"
		await grep -q @tracing "$T/trace"
		echo "$who: $(state)"
		kill -INT $TRACER
		wait $TRACER
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
echo 8192 >$limit
