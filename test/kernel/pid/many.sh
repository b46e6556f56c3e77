# SPDX-License-Identifier: MIT
# @@timeout: 150
# Ten thousand functions, entry and return, are enabled and released in seconds (on a kernel with checkers, in a minute or
# two); each fires.
. ../_lib.sh
limit=30
[ "$KERNEL" = debug ] && limit=200

now()
{
	cut -d. -f1 /proc/uptime
}

# soon WHAT - it has not lasted longer than it may, since $start.
soon()
{
	lasted=$(($(now) - start))
	echo "10,000 functions $1 in $lasted s" >/dev/kmsg
	[ $lasted -lt $limit ] && echo "$1 soon" || echo "$1 in $lasted s"
}

mkfifo "$T/in"
many <"$T/in" &
V=$!
exec 3>"$T/in"
start=$(now)
trace -n "$(printf "pid$V:many:fun_*:%s { @[probename] = count(); }\n" entry return)
END { printa(\"%s %@d\\n\", @); }"
soon enabled
echo "$(sites) places"
echo >&3
wait "$V"
start=$(now)
untrace >"$T/counts"
sites
soon released
grep . "$T/counts"
