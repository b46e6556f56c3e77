# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# A -c command that is not there, one that cannot run, and a -p pid that is dead.
dtrace -c ./missing -n 'BEGIN { exit(0); }'
echo "status $?"
echo text >"$T/file"
dtrace -c "$T/file" -n 'BEGIN { exit(0); }'
echo "status $?"
dtrace -p 99999 -n 'BEGIN { exit(0); }'
echo "status $?"
dtrace -p word -n 'BEGIN { exit(0); }'
echo "status $?"
