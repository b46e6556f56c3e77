# SPDX-License-Identifier: MIT
# The module is loaded and its devices exist: whether a user may trace is decided at open().
grep -c '^dtrace ' /proc/modules
stat -c '%a %n' /dev/dtrace/dtrace /dev/dtrace/helper
