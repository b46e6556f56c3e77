# SPDX-License-Identifier: MIT
# Children of fork, and their children, are traced by a wildcard enabling from their first
# instruction on.
# @@also: 6.1-rt 6.12-rt
. ../_lib.sh
trace -n 'victim*:::tick { @[arg0] = count(); } END { printa("%d %@d\n", @); }'
victim fire 1 fork fire 2 fork fire 3 end join end fork fire 1 end join text
untrace
