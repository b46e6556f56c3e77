# SPDX-License-Identifier: MIT
# @@worlds: kernel two sessions at one process
# One session traces all processes, one a single process: each gets its hits, and the text of other
# processes is unchanged.
. ../_lib.sh
start victim fire 2
trace -p "$V" -n 'victim$target:::tick { @ = count(); } END { printa("one: %@d\n", @); }'
victim fire 4 text
session all -n 'victim*:::tick { @ = count(); } END { printa("all: %@d\n", @); }'
victim fire 4 text
finish
wait $TRACE
output
kill -TERM $SESSION
wait $SESSION
output all
