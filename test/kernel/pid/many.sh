# SPDX-License-Identifier: MIT
# @@timeout: 150
# Ten thousand functions, entry and return, are enabled and released in seconds (on a kernel with checkers, where it is
# entries only, in minutes); each fires.
. ../_lib.sh
limit=60
kinds="entry return"
[ "$KERNEL" = debug ] && limit=400 kinds=entry

now()
{
	cut -d. -f1 /proc/uptime
}

# soon WHAT - it has not lasted longer than it may, since $start.
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
trace -n "$(printf "pid$V:many:fun_*:%s { @[probename] = count(); }\n" $kinds)
END { printa(\"%s %@d\\n\", @); }"
soon enabled
echo "$(($(sites) / $(echo $kinds | wc -w))) places of each kind"
echo >&3
wait "$V"
start=$(now)
untrace >"$T/counts"
sites
soon released
for kind in $kinds; do
	sed -n "s/^$kind //p" "$T/counts"
done | sort -u
