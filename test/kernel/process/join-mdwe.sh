# SPDX-License-Identifier: MIT
# @@worlds: user the module maps nothing in processes
# A process whose memory may not become executable (PR_SET_MDWE): the agent's code is mapped from a sealed file. On
# kernels without it (before 6.3) the case is skipped.
victim mdwe 2>/dev/null || { echo "the kernel has no PR_SET_MDWE"; exit 77; }
. ./_join.sh
launch victim mdwe
traced
dtrace -q -c 'victim mdwe fire 3' -n "$TICKS"
dtrace -q -c 'victim mdwe fire 3' -n 'pid$target::fire_tick:entry { @ = count(); } END { printa("%@d entries\n", @); }'
