# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# -x: unknown names and bad values are errors that say which.
dtrace -x nosuch=1 -n 'BEGIN { exit(0); }'
echo "status $?"
dtrace -x bufsize=lots -n 'BEGIN { exit(0); }'
echo "status $?"
dtrace -x bufpolicy=square -n 'BEGIN { exit(0); }'
echo "status $?"
dtrace -q -x bufsize=64k -x strsize=32 -x switchrate=10hz -x aggrate=100ms -b 1m -x cpu=0 \
	-n 'BEGIN { printf("traced\n"); exit(0); }'
echo "status $?"
dtrace -q -n '#pragma D option bufsize=64k
BEGIN { printf("traced\n"); exit(0); }'
