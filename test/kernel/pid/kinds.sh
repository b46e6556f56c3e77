# SPDX-License-Identifier: MIT
# @@worlds: kernel registers probes by the device
# What is registered by hand for the pid provider can have neither is-enabled sites nor semaphores, which would write to the
# process; nor can a program's own probes be named as the pid provider's are. A semaphore must not be in memory that others share.
# A session's probes are removed by that session only.
. ../_lib.sh
kinds
rows fasttrap
