# SPDX-License-Identifier: MIT
# @@worlds: kernel registers probes by the device
# A registration by hand for the pid provider can have neither is-enabled sites nor semaphores, which would write to the process. A
# program's own probes cannot have names of the pid provider. A semaphore must not be in memory that other processes share.
# Only the session of a probe can remove it.
. ../_lib.sh
kinds
rows fasttrap
