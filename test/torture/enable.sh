# SPDX-License-Identifier: MIT
# @@kernels: debug
# @@timeout: 60
# Damaged programs at the tracing device: refused, or run and bounded; never more than that.
. ../kernel/_lib.sh
victim forever &
V=$!
torture-session damage "${TORTURE_SECONDS:-20}" >"$T/damage"
echo "status $?"
cat "$T/damage" >/dev/kmsg
awk '{ gsub(",", ""); print ($2 > 100 && $4 > 10) ? "some were taken" : $0 }' "$T/damage"
kill -KILL $V
wait 2>/dev/null
rows sessions
rows fasttrap
rmmod dtrace && echo unloaded
insmod /vm/dtrace.ko
