# SPDX-License-Identifier: MIT
# Sessions that begin when a program has made its probes: by a pattern, by the number of the process, and by
# -p; a static program, and one that has static probes too. The probes have all that they have otherwise.
. ../_lib.sh
pipes one two
# run PROGRAM - start it; it makes its probes, and sets $V.
run()
{
	$1 provider app probe main request__done 3 many 2 probe main quiet 0 enable \
		provider app2_ probe other b 0 enable tell "$T/one" wait "$T/two" enabled request__done \
		enabled quiet fire request__done 2 fire p0 1 fire p1 1 fire quiet 1 fire b 1 fixed 1 &
	read -r V <"$T/one"
}
# go - let it fire, and end.
go()
{
	echo go >"$T/two"
	wait "$V"
}
full='{ printf("%s:%s:%s %d %s %d\n", probemod, probefunc, probename, args[0], copyinstr((uintptr_t)args[1]), args[2]); }'
names='{ printf("%s %s\n", probemod, probename); }'
for program in runtime runtime-static runtime-fixed; do
	echo "$program:"
	run $program
	trace -n "app*:::request-done $full app*:::p? $names app2_*::: $names runtime*:::fixed $names"
	go
	untrace
done
echo "by its number:"
run runtime
trace -n "app$V:::request-done $full app2_$V::: $names"
go
untrace
echo "by -p:"
run runtime
trace -p "$V" -n "app\$target:::request-done $full app2_\$target::: $names"
go
wait $TRACE
output
