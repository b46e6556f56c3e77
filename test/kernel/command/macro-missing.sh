# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# A macro argument that was not given, and one that the program does not use, are errors.
dtrace -n 'BEGIN { trace($1); exit(0); }'
echo "status $?"
dtrace -n 'BEGIN { exit(0); }' extra
echo "status $?"
