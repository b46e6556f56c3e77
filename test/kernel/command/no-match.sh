# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# A description that matches nothing is an error, unless -Z says that it may match later.
dtrace -n 'nosuch:::probe { exit(0); }'
echo "status $?"
dtrace -q -Z -n 'nosuch:::probe {}' -n 'BEGIN { printf("traced\n"); exit(0); }'
echo "status $?"
dtrace -l -n 'BEGIN' -n 'nosuch:::' | awk 'NR > 1 { print $2, $NF }'
dtrace -l -i 4000000
echo "status $?"
# a program's name may end with a digit
dtrace -n 'nosuch9$target:::probe' -c victim 2>&1 | sed -n '$s/[0-9][0-9][0-9]*/PID/gp'
