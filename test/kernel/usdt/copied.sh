# SPDX-License-Identifier: MIT
# A process that a program makes by a system call of its own has numbers of its own. Two processes
# with the same memory and thread pointer hit the same probes at the same time: all hits count.
. ../_lib.sh
dtrace -qx followfork -c "copied fork" -n '
copied$target:::hit { printf("%d\n", tid == arg0 && pid == arg0); }'
[ "$KERNEL" = debug ] && hits=200000 || hits=2000000
dtrace -qx followfork -c "copied share $hits" -n '
copied$target:::share { @[arg0] = count(); }
END { printa("%d %@d\n", @); }' | sed "s/ $hits$/ all/"
