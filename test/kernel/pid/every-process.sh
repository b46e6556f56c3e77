# SPDX-License-Identifier: MIT
# @@worlds: kernel pid probes of all processes
# pid*: a function of a file in all processes, those that start later, and by its path. The
# probes are removed afterwards.
. ../_lib.sh
pipes go
traced "$T/go" >/dev/null &
FIRST=$!
trace -n '
pid*:traced:do_returns:entry { @["entry", execname] = count(); }
pid*:'"$BIN"'/traced:do_tail:return { @["tail", probeprov] = count(); }
END { printa("%-6s %-8s %@d\n", @); }'
rows probes | grep -o 'pid[*].*'
echo go >"$T/go"
wait $FIRST
traced >/dev/null
traced >/dev/null
untrace
rows probes | grep -c ' pid[*]' || :
