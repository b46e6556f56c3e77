# SPDX-License-Identifier: MIT
# @@worlds: user the module reads the time in the kernel
# A process that may not read the time stamp counter (PR_SET_TSC), nor the clock of the vDSO.
. ./_join.sh
TICKS='victim$target:::tick { printf("at %d\n", timestamp > 0 && walltimestamp > 0); }'
launch victim timeless
traced
