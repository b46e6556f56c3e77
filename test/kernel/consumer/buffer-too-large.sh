# SPDX-License-Identifier: MIT
# A buffer that does not fit is halved until it does, or refused with bufresize=manual.
# @@kernels: 6.1 6.12
dtrace -q -x bufsize=1g -n 'BEGIN { printf("traced\n"); exit(0); }' 2>/dev/null
dtrace -q -x bufsize=1g -x bufresize=manual -n 'BEGIN { printf("traced\n"); exit(0); }' 2>/dev/null
echo "status $?"
