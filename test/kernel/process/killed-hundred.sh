# SPDX-License-Identifier: MIT
# @@worlds: user the module lives on when dtrace is killed
# @@long: yes
# @@timeout: 300
# A hundred sessions trace five programs each, and all are killed while the programs fire. The programs go on; a later session has
# all hits of the five hundred, and leaves their code as it was.
. ../_lib.sh
for program in $(seq 500); do
	mkfifo "$T/one.$program" "$T/two.$program" "$T/three.$program"
	victim say up wait "$T/one.$program" fire 1 say fired wait "$T/two.$program" fire 2 say again wait "$T/three.$program" text \
		>>"$T/said" &
	pids="${pids-} $!"
done
all_said() { [ "$(grep -c "$1" "$T/said")" = 500 ]; }

# let_go STAGE - let each program go on.
let_go()
{
	for program in $(seq 500); do
		echo go >"$T/$1.$program"
	done
}
await all_said up

set -- $pids
while [ $# -gt 0 ]; do
	dtrace -q -x switchrate=20ms -b 64k -x aggsize=64k -x dynvarsize=64k -n 'BEGIN { printf("@tracing\n"); }' \
		-n "victim$1:::tick, victim$2:::tick, victim$3:::tick, victim$4:::tick, victim$5:::tick { @ = count(); }" \
		>>"$T/tracing" 2>&1 &
	sessions="${sessions-} $!"
	shift 5
done
are_tracing() { [ "$(grep -c @tracing "$T/tracing")" = 100 ]; }
await are_tracing
let_go one &
kill -KILL $sessions
wait $! $sessions 2>/dev/null
await all_said fired
sed '/@tracing/d; /^$/d' "$T/tracing"

trace -b 64k -x aggsize=64k -x dynvarsize=64k -n 'victim*:::tick { @ = count(); } END { printa("%@d hits\n", @); }'
let_go two
await all_said again
untrace
let_go three
wait $pids
sort "$T/said" | uniq -c | sed 's/^ *//'
