# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# A tracer in a pid namespace of its own has that namespace's numbers: in pid, in names of providers, with -p
# and -c. Processes outside are not listed, and not traced by any name; in samples they have no
# number. The kernel's structures and /proc/dtrace have the numbers of the first namespace.
# @@timeout: 90
. ../_lib.sh
start victim fire 3
cat >"$T/inside" <<'EOF'
. ../_lib.sh
mkfifo "$T/up2" "$T/go2"
"$BIN/victim" tell "$T/up2" wait "$T/go2" fire 2 &
read -r V <"$T/up2"
echo "us $(readlink /proc/self | grep -c '^[0-9]\{1,2\}$') $(test "$V" = $! && echo same)"
awk -v outside="$OUTSIDE" -v inside="$V" '$1 != inside && $1 != outside && /victim/ { print "another number in /proc" }' /proc/dtrace/processes
dtrace -l -n 'victim*:::tick' | awk 'NR > 1 { print $2, $5 }' | sed "s/$V/PID/"
session in -p "$V" -n 'victim$target:::tick {
	printf("%d %d %d %d %s", arg0, pid == $target, ppid == '$$', progenyof('$$'), probeprov); ustack(1); }'
echo go >"$T/go2"
wait $SESSION
sed -e '/^@tracing/d' -e /^$/d -e "s/$V/PID/" -e 's/+0x[0-9a-f]*//' "$T/in.out" "$T/in.err"
dtrace -q -c "$BIN/victim fire 1" -n 'victim$target:::tick { printf("%d %d\n", arg0, pid == $target); }'
dtrace -q -c "$BIN/victim fire 1" -n 'victim$target:::tick {
	printf("%s in the first", pid == $target && curpsinfo->pr_pid != pid ? "another number" : "its number"); }'
dtrace -q -n 'BEGIN { printf("%s\n", pid == $pid ? "we are who we are" : "another"); exit(0); }'
EOF
OUTSIDE=$V become pidns run sh "$T/inside"
finish
sh -c 'while :; do :; done' &
busy=$!
become pidns run dtrace -q -n 'profile-997 /execname == "sh"/ { printf("what is outside is %d\n", pid); exit(0); }'
kill -9 $busy
wait $busy 2>/dev/null || :
