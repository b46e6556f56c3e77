# SPDX-License-Identifier: MIT
# A pointer to a constant string of one expression is valid in other expressions, clauses, programs
# and processes, until the session ends.
dtrace -q -c 'victim pair 1' -n '
BEGIN { self->p = (char *)"self"; this->p = (char *)"this"; p = (char *)"global"; a[1] = (char *)"array"; }
BEGIN { printf("%s %s %s %s\n", stringof(self->p), stringof(this->p), stringof(p), stringof(a[1])); }
BEGIN { printf("%c%c %s %d\n", *p, p[5], substr(stringof(a[1]), 2), stringof(p) == "global"); }' -n '
BEGIN { q = (char *)"second program"; printf("%s %s\n", stringof(q), stringof(p)); }' -n '
victim$target:::pair { printf("%s %s\n", stringof(p), stringof(q)); @[stringof(p)] = count(); }'
