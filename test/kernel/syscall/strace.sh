# SPDX-License-Identifier: MIT
# Of programs in 64 and in 32 bits, their children and threads, as many calls return, and as many fail, as strace -c counts.
# @@kernels: 6.1 6.12
# @@timeout: 120
. ../_lib.sh
command -v strace >/dev/null || { echo "no strace"; exit 77; }
# compare NAME COMMAND... - run a command under both, and print which system calls they do not agree on.
compare()
{
	name=$1
	shift
	echo "-- $name"
	printf '%s\n' "$*" >"$T/command"
	rm -f "$T/seen"
	# fork() returns in the child, too, which strace does not count
	dtrace -q -o "$T/seen" -n '
		syscall:::return /progenyof($target) && execname != "strace"/ { @calls[probefunc] = sum(1); @errors[probefunc] = sum(errno != 0); }
		syscall::*fork:return, syscall::clone:return, syscall::clone3:return /progenyof($target) && execname != "strace" && arg0 == 0/ {
			@calls[probefunc] = sum(-1); }
		END { printa("%s %@d %@d\n", @calls, @errors); }' -c "strace -f -c -U name,calls,errors -o $T/counted sh $T/command" >"$T/told" 2>&1
	grep -v '^strace: \[ Process .* runs in .* mode' "$T/told"
	# a table for each kind of program
	awk '/^[a-z]/ && !/^syscall |^total / { calls[$1] += $2; errors[$1] += $3 } END { for (name in calls) print name, calls[name], errors[name] }' \
		"$T/counted" | sort >"$T/strace"
	sed '/^$/d' "$T/seen" | sort >"$T/dtrace"
	diff "$T/strace" "$T/dtrace" && awk '{ calls += $2; errors += $3 } END { print (calls > 30 && errors) ? "the same" : "too few" }' "$T/dtrace"
}
for program in calls calls-i386; do
	compare $program "exec $BIN/$program plain handler interrupted unknown child again"
done
compare shell 'for i in 1 2 3; do ls -lR /test/lib /nonexistent | sort | (read line; cat) | wc -l; done >/dev/null 2>&1; sleep 0; kill -USR1 $$ & wait'
compare threads "exec $BIN/lives threads 5"
compare tree "exec $BIN/lives tree 5"
compare signals "exec $BIN/lives signals"
compare network "exec $BIN/talks tcp4 2 10 >/dev/null"
