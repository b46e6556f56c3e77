# SPDX-License-Identifier: MIT
# _noted.sh - list and trace $program, into which SystemTap's header was compiled. A case reads it with `. ./_noted.sh`.
dtrace -l "$BIN/$program" | awk '{ print $1, $2, $3, $4, $5 }'
pipes up go
"$BIN/$program" tell "$T/up" wait "$T/go" &
read -r V <"$T/up"
dtrace -l -p "$V" | grep noted | awk '{ print $1, $2, $3, $4, $5 }' | sed "s/$V/PID/"
trace -p "$V" -n 'noted$target:::plain
{
	printf("%s %d %s %d ", probefunc, (int)arg0, basename(copyinstr(arg1)), arg2);
	printf("%d %d %d\n", arg3, arg4, (char)arg5);
}
noted$target:::guarded { printf("guarded %d\n", (int)arg0); }'
dtrace -lv -p "$V" -n "noted$V:::" | grep 'type not known'
dtrace -p "$V" -n "noted$V:::plain { trace(args[0]); }" 2>&1 | sed "s/$V/PID/g"
finish
wait $TRACE
output
echo >"$T/line"
dtrace -q -c "$BIN/$program tell /dev/null wait $T/line" -n 'noted$target:::
{
	printf("%s %d\n", probename, (int)arg0);
}'
rm "$T/up" "$T/go"
