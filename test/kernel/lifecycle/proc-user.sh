# SPDX-License-Identifier: MIT
# An ordinary user may register probes but not trace; nothing of the kernel's addresses is shown
# to them.
ls -l /dev/dtrace | awk 'NR > 1 { print $1, $NF }'
su user -c 'dtrace -n "BEGIN { exit(0); }"'
echo "status $?"
su user -c 'cat /proc/dtrace/* 2>/dev/null' | grep -c ffffffff
true
