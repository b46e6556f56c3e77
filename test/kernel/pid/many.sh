# SPDX-License-Identifier: MIT
# @@long: yes
# @@timeout: 150
# Entry and return of ten thousand functions are enabled and released in seconds; each fires. A debug kernel takes
# a minute or two: there the case has a tenth of them, except in a long run, such as torture.
. ../_lib.sh
functions=10000 glob='fun_*' limit=30
[ "$KERNEL" = debug ] && limit=200
[ "$KERNEL" = debug ] && [ -z "$TORTURE_SECONDS" ] && functions=1000 glob='fun_0*'

now()
{
	cut -d. -f1 /proc/uptime
}

# soon WHAT - print whether the time since $start is within the limit.
soon()
{
	lasted=$(($(now) - start))
	[ -w /dev/kmsg ] && echo "$functions functions $1 in $lasted s" >/dev/kmsg
	[ $lasted -lt $limit ] && echo "$1 soon" || echo "$1 in $lasted s"
}

mkfifo "$T/in"
many <"$T/in" &
V=$!
exec 3>"$T/in"
start=$(now)
trace -n "$(printf "pid$V:many:$glob:%s { @[probename] = count(); }\n" entry return)
END { printa(\"%s %@d\\n\", @); }"
soon enabled
patched=$(sites)
[ "$KERNEL" = user ] && patched=$((2 * functions))
[ "$patched" = $((2 * functions)) ] && echo "two sites each" || echo "$patched sites"
echo >&3
wait "$V"
start=$(now)
untrace >"$T/counts"
await eval '[ "$(sites)" = 0 ]'	# those of a process that has ended are removed by a worker
soon released
sed "s/ $functions\$/ of each/" "$T/counts" | grep .
