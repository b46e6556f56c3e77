# SPDX-License-Identifier: MIT
# @@worlds: kernel two sessions at one process
# Two sessions on the same probe each see all of it; when one ends the other goes on.
. ../_lib.sh
pipes a b
start victim fire 2 tell "$T/a" wait "$T/b" fire 3 text
session first -n 'victim*:::tick { @ = count(); } END { printa("first %@d\n", @); }'
FIRST=$SESSION
trace -n 'victim*:::tick { @ = count(); } END { printa("second %@d\n", @); }'
release
read -r V <"$T/a"
kill -TERM $FIRST
wait $FIRST
output first
echo go >"$T/b"
wait "$V"
untrace
