# SPDX-License-Identifier: MIT
# Without a standard error nobody learns of faults: the first one ends tracing.
timeout 20 dtrace -qn 'BEGIN { x = *(int *)0; } END { printf("ended\n"); }' 2>&-
echo "status $?"
