# SPDX-License-Identifier: MIT
# Events that cannot be counted are refused with the reason; the list has those that can be counted.
. ../_lib.sh
for probe in cpu_cycles-all-5000 cpu_cycles-all-4999 page_faults-all-0 cpu_clock-user-5 nonsense-all-100 page_faults-some-1 page_faults-all-1x page_faults; do
	dtrace -n "cpc:::$probe { exit(0); }" 2>&1 | sed -n 's/^  //p'
done
dtrace -l -P cpc | awk '$2 == "cpc" && $3 ~ /-all-/ { print $3 }' | sort
