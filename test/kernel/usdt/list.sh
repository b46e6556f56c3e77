# SPDX-License-Identifier: MIT
# @@worlds: kernel the user world finds no probe by the ID that another run listed
# @@kernels: 6.1 6.12
# -l shows the probes of running programs, and no longer those of programs that have ended.
. ../_lib.sh
start victim text
dtrace -l -P 'victim*' | awk '{ print $2, $3, $4, $5 }' | sed "s/victim$V/victimPID/" | sort
dtrace -l -n "victim$V::both_first:" | awk 'NR > 1 { print $4, $5 }'
dtrace -l -n "victim$V:victim::t*" | awk 'NR > 1 { print $4, $5 }'
ID=$(dtrace -l -n "victim$V:::tick" | awk 'NR > 1 { print $1 }')
dtrace -l -i "$ID" | awk 'NR > 1 { print $4, $5 }'
finish
dtrace -l -P 'victim*'
echo "status $?"
