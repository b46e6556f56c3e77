# SPDX-License-Identifier: MIT
# The module is loaded and its devices are there: who may trace is decided when they are opened.
grep -c '^dtrace ' /proc/modules
stat -c '%a %n' /dev/dtrace/dtrace /dev/dtrace/helper
