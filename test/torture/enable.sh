# SPDX-License-Identifier: MIT
# @@kernels: debug voluntary
# @@timeout: 60
# Damaged programs at the tracing device: the kernel refuses them, or runs them within limits. They
# belong to a user who may not trace the kernel: a damaged description may match all functions of
# the kernel, which would keep a debug kernel busy.
. ./_lib.sh
. ../kernel/_policy.sh
policy 'user user dtrace_proc dtrace_user'
victim forever &
V=$!
user "exec torture-session damage ${TORTURE_SECONDS:-10}" >"$T/told"
told $?
kill -KILL $V
wait 2>/dev/null
rows sessions
rows fasttrap
rmmod dtrace && echo unloaded
insmod /vm/dtrace.ko
