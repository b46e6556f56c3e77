# SPDX-License-Identifier: MIT
# -o writes to a file, and appends if it is there.
dtrace -q -o "$T/out" -n 'BEGIN { printf("first\n"); exit(0); }'
dtrace -q -o "$T/out" -n 'BEGIN { printf("second\n"); exit(0); }'
cat "$T/out"
dtrace -q -o /nowhere/out -n 'BEGIN { exit(0); }' 2>/dev/null
echo "status $?"
