# SPDX-License-Identifier: MIT
# exec by a thread that is not the first: the new program has the pid, and its own probes.
. ../_lib.sh
trace -n 'victim*:::tick { @[pid == tid, arg0] = count(); } END { printa("%d %d %@d\n", @); }'
victim fire 1 thread fire 3 exec fire 2 end join
untrace >"$T/all"
sort "$T/all"
