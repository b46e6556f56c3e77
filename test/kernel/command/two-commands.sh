# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Several -c and -p at once: tracing ends when the last of the processes has ended.
. ../_lib.sh
start victim fire 1
trace -c 'victim fire 2' -p "$V" -n 'victim*:::tick { @ = count(); } END { printa("%@d\n", @); }'
await eval '! rows processes | grep victim | grep -qv "\b$V\b"'
finish
wait $TRACE
output
