# SPDX-License-Identifier: MIT
# @@timeout: 200
# A user asks for more probes of the profile provider than there may be: unused ones are removed when others are
# made. Only probes in use stay, and a user who asks for more of them gets an error.
. ./_lib.sh

policy 'user user dtrace_user'
user 'attack-profile-names 4200'
user "dtrace -qn 'profile:::tick-777hz { trace(probename); exit(0); }'"
attack-profile-names 100
probes=$(grep -c ' profile:::tick-[0-9]*ms$' /proc/dtrace/probes)
[ "$probes" -le 4096 ] && [ "$probes" -gt 0 ] || echo "$probes probes"

echo "--- as many as there may be are enabled"
seq 1 4083 | sed 's/.*/profile:::tick-&s/' | paste -sd, >"$T/many"
session many -n "$(cat "$T/many")"' { }'
user "dtrace -qn 'profile:::tick-778hz { exit(0); }'" 2>&1
user "dtrace -ln 'profile:::tick-778hz'" 2>&1
user "dtrace -qn 'profile:::tick-10 { trace(probename); exit(0); }'"
echo "--- and gone"
kill -TERM $SESSION
wait $SESSION
user "dtrace -qn 'profile:::tick-778hz { trace(probename); exit(0); }'"
