# SPDX-License-Identifier: MIT
# @@timeout: 150
# Ten thousand functions, entry and return, are enabled and released in seconds (on a kernel with checkers, in minutes);
# each fires.
. ../_lib.sh
limit=60
[ "$KERNEL" = debug ] && limit=400

# soon WHAT - it has not lasted longer than it may, since $start.
now()
{
	cut -d. -f1 /proc/uptime
}
soon()
{
	lasted=$(($(now) - start))
	[ $lasted -lt $limit ] && echo "$1 soon" || echo "$1 in $lasted s"
}

mkfifo "$T/in"
many <"$T/in" &
V=$!
exec 3>"$T/in"
start=$(now)
trace -n "pid$V:many:fun_*:entry, pid$V:many:fun_*:return { @[probename] = count(); }
END { printa(\"%s %@d\\n\", @); }"
soon enabled
sites
echo >&3
wait "$V"
start=$(now)
untrace
sites
soon released
