# SPDX-License-Identifier: MIT
# @@timeout: 150
# Ten thousand functions, entry and return, are enabled and released in seconds (on a kernel with checkers, a tenth of
# them in a minute: there they take two); each fires.
. ../_lib.sh
functions=10000 glob='fun_*' limit=30
[ "$KERNEL" = debug ] && functions=1000 glob='fun_0*' limit=60

now()
{
	cut -d. -f1 /proc/uptime
}

# soon WHAT - it has not lasted longer than it may, since $start.
soon()
{
	lasted=$(($(now) - start))
	echo "$functions functions $1 in $lasted s" >/dev/kmsg
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
[ "$(sites)" = $((2 * functions)) ] && echo "two places each"
echo >&3
wait "$V"
start=$(now)
untrace >"$T/counts"
sites
soon released
sed "s/ $functions\$/ of each/" "$T/counts" | grep .
