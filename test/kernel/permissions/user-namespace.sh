# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# User namespaces: root in one has no rights here, its processes are those of the user who made it;
# root of the machine without capabilities does not see what the real one does.
# @@timeout: 90
. ./_lib.sh
policy 'user user dtrace_proc dtrace_user' 'uid 0 dtrace_proc dtrace_user'
tracer()
{
	"$@" dtrace -q -Z -x switchrate=20ms -n 'BEGIN { printf("@tracing\n"); }
		victim*:::tick { printf("tick %d\n", arg0); }' >"$T/out" 2>&1 &
	TRACER=$!
	await grep -q @tracing "$T/out"
}
ends()
{
	await grep -q "tick $1" "$T/out"
	kill $TRACER
	wait $TRACER || :
	grep tick "$T/out"
}
echo "--- from outside: own, but not one that another user's namespace holds"
tracer become groups 1000 gid 1000 uid 1000 run
user "become userns run $BIN/victim fire 1"
become groups 7 gid 7 uid 7 run become userns run victim fire 9
user "$BIN/victim fire 2"
ends 2
echo "--- from inside: own there, nothing outside"
cat >"$T/inside" <<'EOF'
"$BIN/victim" tell "$UP" wait "$GO" fire 2 &
exec "$@"
EOF
pipes up go
chmod 666 "$T/up" "$T/go"
tracer env UP="$T/up" GO="$T/go" become groups 1000 gid 1000 uid 1000 userns run sh "$T/inside"
read -r V <"$T/up"
user "$BIN/victim fire 9"
become userns run victim fire 9
user "become userns run $BIN/victim fire 9"
release
ends 2
echo "--- root without capabilities"
start victim fire 9
tracer become powerless run
become powerless run dtrace -l -p "$V" -n 'noted*:::' 2>&1 | sed "s/$V/PID/"
finish
become powerless run victim fire 3
ends 3
echo "--- root in one has not the right of root"
policy 'uid 0 dtrace_proc dtrace_user'
user "become userns run dtrace -n 'BEGIN { exit(0); }'" 2>&1 || :
