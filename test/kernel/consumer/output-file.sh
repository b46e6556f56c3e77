# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# -o writes to a file, and appends if the file exists.
dtrace -q -o "$T/out" -n 'BEGIN { printf("first\n"); exit(0); }'
dtrace -q -o "$T/out" -n 'BEGIN { printf("second\n"); exit(0); }'
cat "$T/out"
dtrace -q -o /nowhere/out -n 'BEGIN { exit(0); }' 2>/dev/null
echo "status $?"

# If freopen() fails, output goes on as before.
dtrace -qw -n 'BEGIN { freopen("/nowhere/out"); printf("goes on\n"); exit(3); }' 2>&1
echo "status $?"
# Commands of system() have the standard output of dtrace, whatever -o says.
dtrace -qw -o "$T/with" -n 'BEGIN { printf("before\n"); system("echo command"); printf("after\n"); exit(0); }'
cat "$T/with"
# The stability of programs is output, too.
dtrace -qv -o "$T/stable" -n 'BEGIN{ printf("traced\n"); exit(0); }'
dtrace -ev -o "$T/stable" -n END
grep -e Stability -e traced "$T/stable"
