# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# -x help has a line for each option, in order; one that is refused says why, there and when it is used.
dtrace -x help >$T/help
sort -c $T/help && echo sorted
awk 'NF < 2' $T/help
grep -E '^(quiet|strsize|arch|objcopypath) ' $T/help
awk '$2 == "refused:" { print $1 }' $T/help >$T/refused
grep -cx -e arch -e objcopypath $T/refused
while read -r name; do
	dtrace -x "$name=1" -qn BEGIN >$T/out 2>&1 && echo "$name is not refused"
	grep -q "option $name is not supported: " $T/out || cat $T/out
done <$T/refused
