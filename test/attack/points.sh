# SPDX-License-Identifier: MIT
# Each exec of the machine looks at all stop points of execs, so a user may have few, over all open files. Root may have more.
. ./_lib.sh
policy 'user user dtrace_proc'
user attack-points
attack-points
