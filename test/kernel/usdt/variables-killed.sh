# SPDX-License-Identifier: MIT
# @@long: yes
# Processes are killed while they change variables that other processes use. These go on, nothing is
# dropped, and they read the values that they have assigned.
# @@timeout: 60
. ../_lib.sh
trace -n '
victim*:::tick { flips[arg0 & 3] = !flips[arg0 & 3]; words[arg0 & 3] = execname; }
victim*:::tick /!known[pid]/ { known[pid] = 1; printf("process\n"); }
victim*:::pair { mine[pid, arg0 & 15]++; words[pid] = copyinstr(arg1); }
victim*:::pair /arg0 == 160/ { printf("%d %s\n", mine[pid, 5], words[pid]); }
string words[int];'

# is_at N - whether N processes have been hit.
is_at()
{
	[ "$(grep -c ^process "$T/trace.out")" -ge "$1" ]
}

pipes last
victim wait "$T/last" pair 160 &
LAST=$!
for i in $(seq 15); do
	victim forever &
	KILLED=$!
	await is_at "$i"
	victim pair 160
	kill -KILL $KILLED
	wait $KILLED 2>/dev/null
done
echo go >"$T/last"
wait $LAST
untrace >"$T/all"
sort "$T/all" | uniq -c | sed 's/^ *//'
