# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# A -c command that does not exist, one that cannot run, and a -p process that has ended.
dtrace -c ./missing -n 'BEGIN { exit(0); }'
echo "status $?"
echo text >"$T/file"
dtrace -c "$T/file" -n 'BEGIN { exit(0); }'
echo "status $?"
dtrace -p 99999 -n 'BEGIN { exit(0); }'
echo "status $?"
dtrace -p word -n 'BEGIN { exit(0); }'
echo "status $?"
