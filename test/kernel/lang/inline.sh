# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# inlines, macro arguments, $target and other macro variables.
dtrace -q -n '
inline int LIMIT = 5;
inline int twice[int x] = x * 2;
BEGIN { printf("%d %d\n", LIMIT, twice[21]); exit(0); }'
dtrace -q -n 'BEGIN { printf("%d %s %s\n", $1, $$2, $$1); exit(0); }' 42 word
dtrace -q -n 'BEGIN { printf("%d %d\n", $pid == pid, $uid == $1); exit(0); }' "$(id -u)"
dtrace -q -x defaultargs -n 'BEGIN { printf("%d [%s]\n", $1, $$2); exit(0); }'
