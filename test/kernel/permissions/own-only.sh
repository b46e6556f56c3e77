# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# With dtrace_proc a user lists and traces the probes of their own processes; of others' nothing is
# listed, matched, patched or seen.
# @@timeout: 90
. ./_lib.sh
policy 'user user dtrace_proc dtrace_user'
start victim fire 3
ROOTS=$V
id=$(dtrace -l -n "victim$ROOTS:::tick" | awk '$NF == "tick" { print $1 }')
echo "--- listed"
user "dtrace -l -n 'victim*:::'" 2>&1
user "dtrace -l -i $id" 2>&1 | sed s/$id/ID/g
user "dtrace -q -i $id -n 'BEGIN { exit(0); }'" 2>&1 | sed s/$id/ID/g
user "dtrace -l -P victim$ROOTS" 2>&1 | sed "s/$ROOTS/PID/"
echo "--- traced"
su user -c "exec dtrace -q -Z -x switchrate=20ms -n 'BEGIN { printf(\"@tracing\n\"); }
	victim*:::tick { printf(\"%d %d %s\n\", arg0, uid, execname); }'" >"$T/users.out" 2>&1 &
await grep -q @tracing "$T/users.out"
sites
finish
user "$BIN/victim fire 2"
become gid 1000 uid 7 run victim fire 1
await grep -q '^2 1000' "$T/users.out"
kill $!
wait $! || :
grep victim "$T/users.out"
echo "--- -c, stack and all"
user "dtrace -q -c '$BIN/victim fire 1' -n 'victim\$target:::tick {
	printf(\"%d %s\", arg0, execargs == \"\" ? \"no arguments\" : \"arguments\"); ustack(1); }'" |
	sed 's/+0x.*//'
echo "--- and where security modules have debuggers be root"
echo 2 >/proc/sys/kernel/yama/ptrace_scope
user "dtrace -q -c '$BIN/victim fire 1' -n 'pid\$target:victim:fire_tick:entry { printf(\"entry %d\", arg0); }'"
chmod 666 "$T/up" "$T/go"
user "victim tell $T/up wait $T/go fire 1" &
read -r V <"$T/up"
user "dtrace -q -p $V -n 'pid\$target:libc:memcpy:entry'" 2>&1 | grep -o 'it is an ifunc.*'
release
wait $!
echo 0 >/proc/sys/kernel/yama/ptrace_scope
echo "--- profile"
sh -c 'while :; do :; done' &
busy=$!
su user -c 'exec sh -c "while :; do :; done"' &
own=$!
user "dtrace -q -n 'profile-997 { @[uid, arg0 != 0] = count(); n++; } tick-300ms /n > 50/ { exit(0); }'" |
	awk 'NF { print $1, ($2 ? "pc in the kernel" : "no kernel pc") }' | sort -u
kill -9 $busy $own
wait 2>/dev/null || :
