# SPDX-License-Identifier: MIT
# Programs of a user would run on a CPU, with interrupts off, for hours. Each ends in a fault of its own, and its later clauses do not
# run. The user's small program and all users' ticks go on.
# @@timeout: 28
. ./_lib.sh

policy 'user user dtrace_proc dtrace_user'

# A string of 8,191 characters, and one that matches it at each offset except in its last character. Scratch memory suffices for a few.
head='BEGIN { s = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";'
for i in 1 2 3 4 5 6 7; do
	head="$head s = strjoin(s, s);"
done
head="$head } BEGIN { t = strjoin(substr(s, 0, 2000), \"b\"); }"
repeat()
{
	echo "$head"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		echo "BEGIN { $1 $1 $1 $1 $1 $1 $1 $1 }"
		echo "BEGIN { $1 $1 $1 $1 $1 $1 $1 $1 }"
	done
	echo 'BEGIN { printf("went on\n"); }'
	echo 'tick-20ms { printf("done"); exit(0); }'
}

try()
{
	repeat "$2" >"$T/hostile.d"
	chmod 644 "$T/hostile.d"
	echo "$1:"
	user "dtrace -qxstrsize=8k -s $T/hostile.d" 2>&1 | sed 's/ probe ID.*: / /; s/ in action.*//'
}
chmod 755 "$T"

ticks() { awk '/LOC:/ { n = 0; for (i = 2; i < NF && $i ~ /^[0-9]/; i++) n += $i; print n }' /proc/interrupts; }
before=$(ticks)
try strstr 'x = strstr(s, t) != NULL;'
try compare 'x = s == s;'
try copy 'u = s; v = u;'
try keys 'a[s] = 1; y = a[s];'
[ "$(ticks)" -gt "$before" ] && echo "timers went on"

echo "small:"
user "dtrace -qxstrsize=64k -n 'BEGIN { s = \"abc\"; x = strstr(s, \"b\"); printf(\"%s went on\", x); } tick-20ms { exit(0); }'"
