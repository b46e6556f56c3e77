# SPDX-License-Identifier: MIT
# -c traces the program from its first probe on and ends with it.
dtrace -q -c 'victim fire 3' -n 'victim$target:::tick { printf("tick %d\n", arg0); }'
echo "status $?"
