# SPDX-License-Identifier: MIT
# Each exec of the machine looks at all stop points of execs, and at those in the files that it maps, so a user may have few, over all
# open files. Root may have more.
. ./_lib.sh
policy 'user user dtrace_proc'
for kind in execs addresses; do
	user "attack-points $kind"
	attack-points $kind
done
