# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# -l: by provider, module, function, name and id; -e compiles only; several at once.
dtrace -l -P dtrace
dtrace -l -n BEGIN -n END | awk 'NR > 1 { print $2, $3 }'
dtrace -l -i 1
dtrace -e -n 'BEGIN { trace(1); }'
echo "status $?"
dtrace -lv -n dtrace:::BEGIN
