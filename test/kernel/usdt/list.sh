# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# -l shows the probes of running programs, and no longer those of programs that have ended.
. ../_lib.sh
start victim text
dtrace -l -P 'victim*' | awk '{ print $2, $3, $4, $5 }' | sed "s/victim$V/victimPID/" | sort
dtrace -l -n "victim$V::both_first:" | awk 'NR > 1 { print $4, $5 }'
dtrace -l -n "victim$V:victim::t*" | awk 'NR > 1 { print $4, $5 }'
finish
dtrace -l -P 'victim*'
echo "status $?"
