# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# exit(n) is the status of dtrace; records after exit() are not made, END's are.
dtrace -q -n '
BEGIN { exit(5); printf("same clause\n"); }
BEGIN { printf("later clause\n"); }
END { printf("end\n"); }'
echo "status $?"
