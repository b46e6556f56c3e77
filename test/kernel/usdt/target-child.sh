# SPDX-License-Identifier: MIT
# The provider of a program that a child of the command executes has the number of the command, which has no probes itself.
. ../_lib.sh
printf '#!/bin/sh\nvictim fire 2\ntrue\n' >"$T/script"
chmod 755 "$T/script"
dtrace -q -Z -x followfork -c "$T/script" -n 'victim$target:::tick { printf("tick %d\n", arg0); }'
echo "status $?"
