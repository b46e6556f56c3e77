# SPDX-License-Identifier: MIT
# Each function of a program at low addresses can be traced, together or alone, also if the compiler
# has not optimised the program.
. ../_lib.sh
for program in unoptimised unoptimised-static; do
	for function in main 'low_*' low_add low_twice low_sum low_first low_print; do
		dtrace -q -x aggsortkey -c "$program" -n '
			pid$target:a.out:'"$function"':entry, pid$target:a.out:'"$function"':return { @[probefunc, probename] = count(); }
			END { printa("%s:%s %@d\n", @); }' | sed -e /^low$/d -e '/^$/d'
	done
done
