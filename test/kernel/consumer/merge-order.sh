# SPDX-License-Identifier: MIT
# Records of all CPUs come out in the order of time.
. ../_lib.sh
trace -x bufsize=4m -n 'victim*:::tick { printf("%d\n", timestamp); }'
victim thread fire 300 end thread fire 300 end thread fire 300 end fire 300 join
untrace >"$T/all"
wc -l <"$T/all"
sort -n "$T/all" | cmp - "$T/all" && echo in order
