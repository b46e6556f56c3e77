# SPDX-License-Identifier: MIT
# A user with dtrace_kernel cannot have all probes of kinst, of which there are few. The limit covers all of the user's sessions, and
# the message names it. Other users still get probes.
# @@long: yes
# @@kernels: 6.1 6.12
# @@timeout: 90
. ./_lib.sh
policy 'user user dtrace_kernel' 'uid 1001 dtrace_kernel'
other="become groups 1001 gid 1001 uid 1001 run"
cd /sys/module/dtrace/parameters
before=$(cat user_instructions)
echo 20 >user_instructions

echo "-- a user's"
su user -c "exec dtrace -qZ -x switchrate=20ms -n 'BEGIN { printf(\"@tracing\n\"); } kinst::vfs_open:0, kinst::vfs_read:0, kinst::vfs_write:0 { @ = count(); }'" >"$T/some" 2>&1 &
some=$!
await grep -q @tracing "$T/some"
awk 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "INSTRUCTIONS") n = i } $1 == 1000 { print "held:", $n }' /proc/dtrace/users
user 'dtrace -qn "kinst::vfs_read: { @ = count(); } BEGIN { exit(0); }"' 2>&1 | grep -o 'user 1000 holds .* would be passed.*'
awk 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "INSTRUCTIONS") n = i } $1 == 1000 { print "held:", $n }' /proc/dtrace/users
echo "-- another's"
$other dtrace -qn 'kinst::vfs_open:0 { @ = count(); } BEGIN { printf("traces\n"); exit(0); }' | grep traces
echo "-- with a higher limit"
echo "$before" >user_instructions
user 'dtrace -qn "kinst::vfs_read: { @ = count(); } BEGIN { printf(\"traces\n\"); exit(0); }"' | grep traces
kill -KILL $some
wait $some 2>/dev/null || :
