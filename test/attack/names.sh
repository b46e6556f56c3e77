# SPDX-License-Identifier: MIT
# Providers of two users' processes have the same name, with the process number. Neither keeps the other from having probes, and a
# description matches both.
. ./_lib.sh

attack-names foo1 5023 1000 foo 15023 1001 >"$T/names" &
await eval '[ "$(wc -l <"$T/names")" = 2 ]' || exit
sort "$T/names"
dtrace -l -P foo15023 | awk 'NR > 1 { print $2, $NF }'
dtrace -qn '
int seen[int];
foo15023:::hit /!seen[pid]/ { seen[pid] = 1; printf("process %d\n", pid); }
foo15023:::hit /seen[5023] && seen[15023]/ { exit(0); }' | sed '/^$/d' | sort
kill -KILL 5023 15023
wait
