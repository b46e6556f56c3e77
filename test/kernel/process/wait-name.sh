# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# -W waits for programs by name, of every kind, and stops them before their main: no firing is missed.
# @@timeout: 120
. ../_lib.sh

# waiting NAME... - start dtrace with -W for these, and return when it waits; set $W.
waiting()
{
	rm -f "$T/err"
	for name in "$@"; do
		set -- "$@" -W "$name"
		shift
	done
	dtrace "$@" -x aggsortkey -n 'victim*:::tick { @[execname, pid == $target] = count(); }' \
		>"$T/out" 2>"$T/err" &
	W=$!
	await eval "[ \$(grep -c waiting '$T/err') = $(($# / 2)) ]"
}

result()
{
	wait $W
	echo "status $?"
	sed -e /^$/d -e 's/pid [0-9]*/pid PID/' "$T/out" "$T/err"
}

# In the user world -W does not wait for 32-bit programs.
[ "$KERNEL" = user ] && also= || also=victim-i386

for program in victim victim-static victim-static-pie $also; do
	waiting $program
	$program fire 3
	result
done

echo several at once, in another order, two of one name:
waiting victim victim-static victim
victim-static fire 1 &
await grep -q '^State:.[DS]' /proc/$!/status	# it is the first: $target
victim fire 2 &
victim fire 4 &
result >"$T/several"
awk '$3 ~ /^[0-9]+$/ { fired[$1] += $3; targets += $2 > 0; next } { print }
	END { print fired["victim"], fired["victim-static"], targets " is $target" }' "$T/several"

# The user world does not have probes at each return.
functions()
{
	echo with probes of functions:
	dtrace -W victim -n 'pid$target::sum_eight:return { printf("sum %d", arg1); }' >"$T/out" 2>"$T/err" &
	W=$!
	await grep -q waiting "$T/err"
	victim sum 2
	result >"$T/said"
	grep -o -e '^status .*' -e 'sum [0-9]*' "$T/said"
}
[ "$KERNEL" = user ] || functions

echo by its path:
waiting "$T/linked"
ln -s "$BIN/victim" "$T/linked"
victim fire 1
"$T/linked" fire 2
result

echo one that does not get as far as its main is not the one:
waiting lame
cp "$BIN/victim" "$T/lame"
sed -i 's/libc\.so\.6/libx.so.6/' "$T/lame"
"$T/lame" 2>/dev/null
echo "it ended with $?"
cp "$BIN/victim" "$T/lame"
# Start it again and again: dtrace misses programs that start before it waits again.
await eval '"$T/lame" fire 5; ! kill -0 $W'
result >"$T/said"
grep -v '^ *lame *0 ' "$T/said"

echo errors:
dtrace -W '' -n BEGIN 2>&1
dtrace -W "$(printf '%0300d' 0)" -n BEGIN 2>&1 | sed 's/00*/LONG/'
