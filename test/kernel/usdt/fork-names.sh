# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# A child of fork has a provider of its own, named after its pid.
. ../_lib.sh
pipes child1 child2
start victim fork tell "$T/child1" wait "$T/child2" end join
release
read -r CHILD <"$T/child1"
await dtrace -l -n "victim$CHILD:::tick"
dtrace -l -n 'victim*:::tick' | awk '{ print $2, $3, $4, $5 }' |
	sed -e "s/victim$V/victimPID/" -e "s/victim$CHILD/victimCHILD/" | sort
echo go >"$T/child2"
wait "$V"
