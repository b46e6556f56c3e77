# SPDX-License-Identifier: MIT
# @@worlds: kernel in the user world each run of dtrace numbers probes by itself
# @@kernels: 6.1 6.12
# -l finds a probe by the ID that another run of dtrace has listed.
. ../_lib.sh
start victim
ID=$(dtrace -l -n "victim$V:::tick" | awk 'NR > 1 { print $1 }')
dtrace -l -i "$ID" | awk 'NR > 1 { print $4, $5 }'
finish
