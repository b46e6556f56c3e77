# SPDX-License-Identifier: MIT
# A user's breakpoints in a library make all programs that map it start more slowly. So their number is limited, unless the file is
# the user's own.
# @@timeout: 60
. ./_lib.sh
policy 'user user dtrace_proc'
limit=/sys/module/dtrace/parameters/user_file_sites
before=$(cat $limit)
pipes up go
chmod 711 "$T"
chmod 666 "$T/up" "$T/go"
su user -c "exec $BIN/victim tell $T/up wait $T/go" &
read -r V <"$T/up"
libc=$(awk '$2 ~ /x/ && $NF ~ /libc\.so/ { print $NF; exit }' "/proc/$V/maps")

# enabled FUNCTIONS N - print whether more than N locations are patched while the user traces these functions, or why none is.
enabled()
{
	: >"$T/tracer"
	su user -c "exec dtrace -q -p $V -n 'BEGIN { printf(\"@tracing\\n\"); } pid$V:libc.so.6:$1:entry { }'" >"$T/tracer" 2>&1 &
	tracer=$!
	await is_tracing $tracer "$T/tracer"
	if grep -q '^@tracing' "$T/tracer"; then
		[ "$(sites)" -gt "$2" ] && echo "more than $2 sites" || echo "$(sites) sites"
	else
		grep -o 'the user has as many.*user_file_sites' "$T/tracer" || cat "$T/tracer"
	fi
	kill -KILL $tracer 2>/dev/null
	wait $tracer 2>/dev/null
	await eval '[ "$(sites)" = 0 ]'
}
echo "-- a few, and all functions"
enabled 's*' 100
enabled '*' 1100
echo "-- all functions, where fewer are allowed"
echo 0 >$limit
enabled '*' 1100
enabled 's*' 100
echo "-- the same in a library of the user's own"
chown user "$libc"
enabled '*' 1100
chown root "$libc"
echo "$before" >$limit
echo go >"$T/go"
wait "$V"
