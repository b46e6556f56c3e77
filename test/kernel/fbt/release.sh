# SPDX-License-Identifier: MIT
# When a session ends, also by being killed, no function is hooked any more, and no probe is left.
. ./_lib.sh
begin()
{
	pipes up$1
	dtrace -wqn 'BEGIN { system("echo >%s", $$1); } fbt::vfs_*:entry, fbt::vfs_*:return { @ = count(); }' "$T/up$1" &
	D=$!
	read -r _ <"$T/up$1"
}
left()
{
	hooked
	awk '$1 == "fbt" { print $2, $3 }' /proc/dtrace/providers
}
nothing=$(left)
echo "$nothing"
for how in INT KILL; do
	begin $how
	[ "$(hooked)" -gt 20 ] && echo "hooked"
	kill -$how $D
	wait $D >/dev/null 2>&1
	await eval '[ "$(left)" = "$nothing" ]'
	left
done 2>/dev/null | grep -v '^ *[0-9]*$'
left
