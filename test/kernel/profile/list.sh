# SPDX-License-Identifier: MIT
# The usual profile and tick probes can be listed.
dtrace -l -P profile >"$T/list"
for name in profile-97 profile-199 profile-499 profile-997 profile-1999 profile-4001 profile-4999 \
	tick-1 tick-10 tick-100 tick-500 tick-1000 tick-5000; do
	awk -v "name=$name" '$NF == name { print $2, $NF }' "$T/list"
done
