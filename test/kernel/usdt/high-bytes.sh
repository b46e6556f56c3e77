# SPDX-License-Identifier: MIT
# Arguments in the second bytes of registers, %ah and the like, with and without a sign, beside other parts of the same registers.
. ../_lib.sh
[ "$KERNEL" = user ] && also= || also=odd-i386
for program in odd $also; do
	pipes up go
	"$program" "$T/up" "$T/go" >"$T/printed" &
	read -r V <"$T/up"
	session high -n 'odd*:::high {
		printf("%d %d %d %d %d %d %d %d %d %x\n", arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, arg9); }'
	release
	read -r V <"$T/up"
	kill -TERM $SESSION
	wait $SESSION
	release
	wait "$V"
	output high
	rm "$T/up" "$T/go"
done
