# SPDX-License-Identifier: MIT
# @@worlds: kernel it needs the module besides
# A process is traced by the module and without it at once. While both sessions are there, the one with the module sees the hits,
# whichever came first; a later one without it says that it cannot trace the site. The next session sees all hits.
. ../_lib.sh
pipes go up

# fires N - let the program fire N times.
fires()
{
	echo "$1" >"$T/go"
	read -r _ <"$T/up"
}

# user - trace the program without the module.
user()
{
	dtrace -x world=user -x switchrate=20ms -qp $V -n 'BEGIN { printf("@tracing\n"); }
		victim$target:::tick { @ = count(); } END { printa("user %@d\n", @); }' >"$T/user.out" 2>&1 &
	U=$!
	await grep -q @tracing "$T/user.out"
}

# end_user - end it, and print what it has seen.
end_user()
{
	kill -INT $U
	wait $U
	sed '/^$/d; /@tracing/d; s/at 0x[0-9a-f]*/at ADDRESS/; s/'"$V"'/PID/g' "$T/user.out"
}

kernel() { trace -qp $V -n 'victim$target:::tick { @ = count(); } END { printa("kernel %@d\n", @); }'; }

victim repeat 8 tell "$T/up" wait "$T/go" fire 10 end tell "$T/up" &
V=$!
read -r _ <"$T/up"
echo "-- first without the module"
user
fires 10
kernel
fires 10
end_user
fires 10
untrace
echo "-- first with the module"
kernel
fires 10
user
fires 10
untrace
fires 10
end_user
echo "-- afterwards"
user
fires 10
end_user
kernel
fires 10
untrace
wait $V
echo "status $?"
