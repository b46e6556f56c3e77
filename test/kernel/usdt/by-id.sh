# SPDX-License-Identifier: MIT
# Probes that are enabled by their IDs fire, also if another engine gives the numbers to other probes.
. ../_lib.sh
id()
{
	dtrace -l -p "$V" -n "victim$V:::" | awk -v name=$1 '$NF == name { print $1 }'
}
start victim fire 3 pair 2
trace -p "$V" -n 'victim$target:::guarded' -n "$(id tick), $(id pair) { @[probename] = count(); }" -i "$(id dozen)"
finish
wait $TRACE
output
