# SPDX-License-Identifier: MIT
# @@timeout: 60
# Functions that are left by an exception or by longjmp have entries without returns, and so has a coroutine that
# is not resumed. The program prints the same as untraced: with probes at entries and returns, at each
# instruction, and in the functions that throw and jump. The numbers are entries and returns.
. ../_lib.sh
unwound >"$T/right"
cat "$T/right"

# probes NAME... - print the probes with these names of all functions.
probes()
{
	for function in throw jump handler coro depth; do
		printf "pid\$target:a.out:${function}_*:%s,\n" "$@"
	done
}

# traced PROBES - print the counts of the probes, and whether the program's output is the same.
traced()
{
	rm -f "$T/seen"
	dtrace -qo "$T/seen" -c unwound -x aggsortkey -n "$1
	{
		@[probefunc] = sum(probename == \"entry\");
		@returns[probefunc] = sum(probename == \"return\");
		@modules[probemod] = count();
	}
	END { printa(\"%s %@d %@d\\n\", @, @returns); printa(\"in %s: %@d\\n\", @modules); }" >"$T/said"
	cmp "$T/right" "$T/said" && echo "-- the same"
}

traced "$(probes entry return) BEGIN"
sed '/^ 0 0/d; /^in /d; /^$/d' "$T/seen"
traced "$(probes '') pid\$target:libgcc_s:_Unwind_*:entry, pid\$target:libgcc_s:_Unwind_*:return,
	pid\$target:libstdc++:__cxa_*:entry, pid\$target:libstdc++:__cxa_*:return,
	pid\$target:libc:*longjmp*:entry, pid\$target:libc:*context:entry, pid\$target:libc:backtrace:return"
grep -E '^(throw|jump|handler|coro|depth)_|^(__cxa_throw|longjmp|swapcontext|backtrace) ' "$T/seen"
sed -n '/^in ./{s/:.*//; s/\(libstdc++\.so\.6\).*/\1/; p;}' "$T/seen"	# its file may have a longer name
