# SPDX-License-Identifier: MIT
# /proc/dtrace shows sessions, probes, providers, processes and tracepoints, each under a header
# line.
. ../_lib.sh
start victim
trace -n 'victim*:::tick { @ = count(); }'
ls /proc/dtrace
rows sessions | grep -c "\b$TRACE\b"
rows processes | grep -c "\b$V\b"
rows providers | grep -c "\bvictim$V\b"
rows probes | grep "\bvictim$V\b" | grep -c '\btick\b'
rows fasttrap | grep -c /victim
rows probes | grep -c ' dtrace:::' # BEGIN, END, ERROR: numbers in a row
for file in sessions processes providers probes fasttrap; do
	head -n 1 /proc/dtrace/$file | grep -q '[A-Z]' && echo "$file has a header line"
done
untrace
finish
await eval '! rows providers | grep -q victim'
for file in sessions processes fasttrap; do
	rows $file
done
! rows probes | grep "\bvictim[0-9]"
