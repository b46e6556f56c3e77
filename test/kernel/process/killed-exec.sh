# SPDX-License-Identifier: MIT
# A session that follows the process's execs is killed. The next one follows them, too, although the first session's code
# is still in the process.
. ../_lib.sh
start victim exec sum 3
trace -p $V -n 'pid$target:victim:sum_eight:entry { @ = count(); }'
kill -KILL $TRACE
wait $TRACE 2>/dev/null
trace -p $V -n 'pid$target:victim:sum_eight:entry { @ = count(); } END { printa("%@d\n", @); }'
finish
wait $TRACE
sed -n '/^[0-9]/p' "$T/trace.out"
