# SPDX-License-Identifier: MIT
# A process with hundreds of registrations forks a hundred times, and ends, or registers more, while its children have no copies yet; then they
# all end. Another process waits for the copies of one of them at most.
# @@long: yes
# @@timeout: 120
. ./_lib.sh
policy 'user user dtrace_proc'
[ "$KERNEL" = debug ] && many="50 40" || many="300 100"
su user -c "$BIN/attack-quadratic children $many"
