# SPDX-License-Identifier: MIT
# $target follows the process over exec: it is the same pid.
dtrace -q -c 'victim fire 1 exec fire 2' -n 'victim$target:::tick { printf("tick %d\n", arg0); }'
