# SPDX-License-Identifier: MIT
# When a session ends, also by being killed, no function is hooked any more, and no probe is left. Nor is the
# kprobe by which returns are noted.
. ./_lib.sh
kprobes=/sys/kernel/debug/kprobes/list
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
	grep -c function_donated $kprobes || true
}
nothing=$(left)
echo "$nothing"
for how in INT KILL; do
	begin $how
	[ "$(hooked)" -gt 20 ] && grep -q function_donated $kprobes && echo "hooked"
	kill -$how $D
	wait $D >/dev/null 2>&1
	await eval '[ "$(left)" = "$nothing" ]'
	left
done 2>/dev/null | grep -v '^ *[0-9]*$'
left
