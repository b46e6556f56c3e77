# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# A user without a right can open neither device, whichever name it has; the user's programs
# register nevertheless.
# @@timeout: 90
. ./_lib.sh
policy 'uid 7 dtrace_user' 'group nogroup dtrace_proc' 'uid 8 proc_owner'
exec 2>&1
user "dtrace -n 'BEGIN { exit(0); }'"
user 'cat /dev/dtrace/dtrace /dev/dtrace/fasttrap'
become groups 1000 gid 1000 uid 1000 run dtrace -l -n BEGIN
echo "--- a uid, a group, a supplementary group"
become gid 1000 uid 7 run dtrace -l -n BEGIN | wc -l
become groups 1000 gid 65534 uid 1000 run dtrace -l -n BEGIN | wc -l
become groups 5,65534 gid 1000 uid 1000 run dtrace -l -n BEGIN | wc -l
echo "--- both, of all lines that there are"
become groups 5,65534 gid 1000 uid 7 run sh -c 'dtrace -l -n tick-1s >/dev/null && : </dev/dtrace/fasttrap && echo has them'
become groups 5 gid 1000 uid 7 run sh -c ': </dev/dtrace/fasttrap'
echo "--- root without capabilities is not root"
become powerless run dtrace -l -n BEGIN
echo "--- who may read all of memory has all rights"
become keep 38 keep 19 gid 1000 uid 1000 run dtrace -l -n BEGIN | wc -l
become keep 19 gid 1000 uid 1000 run dtrace -l -n BEGIN
echo "--- rights are those of when the device was opened"
policy 'user user dtrace_proc'
su user -c "exec dtrace -q -Z -x switchrate=20ms -n 'BEGIN { printf(\"@tracing\n\"); }' \
	-n 'victim*:::tick { printf(\"tick %d\n\", arg0); }'" >"$T/out" 2>&1 &
await grep -q @tracing "$T/out"
policy '# nobody'
user "$BIN/victim fire 1"
await grep -q tick "$T/out"
kill $!
wait $! || :
grep tick "$T/out"
user "dtrace -l" || :
echo "--- what is done to a process takes the right at that moment"
policy 'user user dtrace_proc'
pipes up go
chmod 666 "$T/up" "$T/go"
user "exec victim tell $T/up wait $T/go dlopen $BIN/libplug.so plug 1 fire 2" &
read -r V <"$T/up"
UNDER='become groups 1000 gid 1000 uid 1000 run' session later -p "$V" \
	-n "victim$V:::tick { printf(\"tick %d\n\", arg0); }" -n "pid$V:libplug.so::entry { printf(\"%s\n\", probefunc); }"
policy '# nobody'
echo go >"$T/go"
wait $SESSION
output later
