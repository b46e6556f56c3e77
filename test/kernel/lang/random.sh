# SPDX-License-Identifier: MIT
# rand() gives other numbers in each session and in each process.
. ../_lib.sh
for session in 1 2; do
	dtrace -qn 'BEGIN { printf("own %d %d\n", rand(), rand()); exit(0); }'
	dtrace -qc 'victim fire 1' -n 'victim$target:::tick { printf("traced %d %d\n", rand(), rand()); }'
done >"$T/numbers"
awk 'NF { n[$1]++; if (seen[$2, $3]++) again[$1]++ }
	END { print n["own"], again["own"] + 0, n["traced"], again["traced"] + 0 }' "$T/numbers"
