# SPDX-License-Identifier: MIT
# A program may use args[] of pending probes. If it uses a member, whose type is unknown, it has a fault, with the reason,
# when such a probe fires. The argument itself has its value, and other clauses go on.
. ../_lib.sh
trace -n 'victim*:::tick { @ = sum(args[0]); } victim*:::tick { trace(args[0]->x); } END { printa("sum %@d\n", @); }'
victim fire 3
untrace >"$T/all"
# how often a fault is reported depends on when buffers are read
awk 'match($0, /[0-9]+ more like this: /) { n += $2; next } /^dtrace: error/ { n++; if (told++) next } { print } END { print n, "faults" }' "$T/all"
