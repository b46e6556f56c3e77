# SPDX-License-Identifier: MIT
# A fault ends the clause, fires ERROR and is reported with its kind and location; tracing goes on.
dtrace -q -n '
BEGIN { i = 0; trace(1 / i); printf("not reached\n"); }
BEGIN { trace(*(int *)0x10); }
BEGIN { trace(copyinstr(0x20)); }
BEGIN { trace(*(char *)0xdead000000000000); }
BEGIN { this->p = alloca(10000000); }
BEGIN { printf("reached\n"); exit(0); }
ERROR { printf("fault %d address %x action %d\n", arg4, arg5, arg2); }' 2>"$T/err"
echo "status $?"
sed 's/ID [0-9]*/ID N/g; s/offset [0-9]*/offset N/' "$T/err"
