# SPDX-License-Identifier: MIT
# @@kernels: debug voluntary
# @@timeout: 60
# Damaged programs at the tracing device: refused, or run and bounded; never more than that.
. ./_lib.sh
victim forever &
V=$!
torture-session damage "${TORTURE_SECONDS:-10}" >"$T/told"
told $?
kill -KILL $V
wait 2>/dev/null
rows sessions
rows fasttrap
rmmod dtrace && echo unloaded
insmod /vm/dtrace.ko
