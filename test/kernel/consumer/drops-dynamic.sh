# SPDX-License-Identifier: MIT
# Dynamic variables that find no space are counted and reported.
. ../_lib.sh
trace -x dynvarsize=4k -n 'victim*:::tick { x[arg0] = arg0; }'
victim fire 2000
untrace >"$T/all"
sed 's/^dtrace: [0-9]* dynamic/dtrace: N dynamic/; s/ with non-empty .* list$//' "$T/all" | sort -u
