# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# dtrace ends by itself when its output has no reader any more, and leaves no patches.
. ../_lib.sh
start victim repeat 50 fire 1 end text
dtrace -q -x switchrate=20ms -n '
BEGIN, tick-50ms, victim*:::tick { printf("tick\n"); }' 2>"$T/err" | head -n 3
await eval 'test "$(rows sessions | wc -l)" = 0'
finish
echo "patched: $(sites)"
