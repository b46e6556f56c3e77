# SPDX-License-Identifier: MIT
# _lib.sh - compare the counts of the probes with those of a program.
. ../io/_lib.sh

# compare PROGRAM VERB DIR [disk] - say whether the probes count as the program does. There is a test for lookup. fsync() of a
# file on a disk writes its pages, its inode and that of its directory.
compare()
{
	dtrace -qn 'syscall::getppid:return /pid == $target/ { on = ++calls == 1; } syscall::getppid:entry /pid == $target/ { on = 0; }
	fsinfo::: /on && pid == $target && probename != "lookup"/ { @n[probename] = count(); @bytes[probename] = sum(arg1); }
	END { printa("probe %s %@d %@d\n", @n, @bytes); }' -c "$*" >"$T/out"
	[ "$2" = attributes ] && not="probe putpage" || not=none
	sed -n "/^$not/d; s/^probe //p" "$T/out" | sort >"$T/probes"
	sed '/^probe/d; /^$/d' "$T/out" | sort >"$T/program"
	cmp -s "$T/probes" "$T/program" && echo "$1 $2: the same" || diff "$T/program" "$T/probes"
}

# compare_all DIR [disk] - compare for all operations, by programs of 64 and of 32 bits.
compare_all()
{
	for program in files files-i386; do
		compare $program names "$1"
		compare $program transfers "$1"
		compare $program attributes "$1"
		compare $program maps "$@"
	done
}
