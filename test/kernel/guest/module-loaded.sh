# SPDX-License-Identifier: MIT
# The module is loaded, its devices are there, and only the helper is open to everyone.
grep -c '^dtrace ' /proc/modules
stat -c '%a %n' /dev/dtrace/dtrace /dev/dtrace/helper
