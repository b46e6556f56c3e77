# SPDX-License-Identifier: MIT
# vfork and exec: the parent stays traced, the new program is traced by a wildcard enabling as
# itself.
. ../_lib.sh
trace -n 'victim*:::tick { @[arg0] = count(); } END { printa("%d %@d\n", @); }'
victim fire 1 vfork fire 2 end join fire 1
untrace
