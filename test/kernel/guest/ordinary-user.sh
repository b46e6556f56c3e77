# SPDX-License-Identifier: MIT
# An ordinary user exists, can use $T, and cannot open the tracing device.
# @@status: 1
su user -c "id -u; echo mine >$T/file; cat $T/file; cat /dev/dtrace/dtrace"
