# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# @@timeout: 60
# A session over many short-lived programs sees each of them, and its memory does not grow with
# their number.
. ../_lib.sh
trace -n 'victim*:::tick { @ = count(); } END { printa("%@d\n", @); }'
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	victim fire 1 vfork fire 1 end fork fire 1 end join
done
await eval '! rows probes | grep -q "victim[0-9]"'
untrace
