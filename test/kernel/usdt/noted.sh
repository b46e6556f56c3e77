# SPDX-License-Identifier: MIT
# @@worlds: kernel changes users, and 32-bit programs
# @@kernels: 6.1 6.12
# A program that SystemTap's header was compiled into: its probes are listed from its file and from
# the process, and -p and -c trace them, arguments and semaphores.
. ../_lib.sh
for program in noted noted-i386; do
	dtrace -l "$BIN/$program" | awk '{ print $1, $2, $3, $4, $5 }'
	pipes up go
	"$BIN/$program" tell "$T/up" wait "$T/go" &
	read -r V <"$T/up"
	dtrace -l -p "$V" | grep noted | awk '{ print $1, $2, $3, $4, $5 }' | sed "s/$V/PID/"
	su user -c "dtrace -l -p $V" 2>&1 | sed "s/$V/PID/"
	trace -p "$V" -n 'noted$target:::plain
	{
		printf("%s %d %s %d ", probefunc, (int)arg0, basename(copyinstr(arg1)), arg2);
		printf("%d %d %d\n", arg3, arg4, (char)arg5);
	}
	noted$target:::guarded { printf("guarded %d\n", (int)arg0); }'
	dtrace -lv -n "noted$V:::" | grep 'type not known'
	dtrace -n "noted$V:::plain { trace(args[0]); }" 2>&1 | sed "s/$V/PID/g"
	finish
	wait $TRACE
	output
	echo >"$T/line"
	dtrace -q -c "$BIN/$program tell /dev/null wait $T/line" -n 'noted$target:::
	{
		printf("%s %d\n", probename, (int)arg0);
	}'
	rm "$T/up" "$T/go"
done
