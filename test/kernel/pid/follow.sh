# SPDX-License-Identifier: MIT
# With DTRACE_FT_FOLLOW children and theirs are traced, each as a process of its own, but what they
# execute is not. They belong to the session: it takes all with it.
. ../_lib.sh
pipes wait1
start victim sum 1 fork sum 2 fork sum 2 wait "$T/wait1" text end join end vfork sum 4 end join text
UNDER="plant -f $V $BIN/victim sum_eight:entry:sum_eight sum_eight:return:sum_even:a --"
trace -n 'pid*::: { @[probename] = count(); @own[probeprov == strjoin("pid", lltostr(pid)) ? "own" : "not"] = count(); }
END { printa("%s %@d\n", @); printa("%s %@d\n", @own); }'
release
await eval '[ "$(rows processes | awk "\\$4 == 9" | wc -l)" = 3 ]'
rows processes | awk '$4 == 9 { print $3, $4, $6 }'
untrace
sites
rows processes | awk '{ print $3, $4, $6, NF }'
echo >"$T/wait1"
wait "$V"
