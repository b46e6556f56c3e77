# SPDX-License-Identifier: MIT
# A call that returns an address returns that of the program, in 64 and in 32 bits: memory there can be read.
# @@kernels: 6.1 6.12
. ../_lib.sh
for program in lives lives-i386; do
	dtrace -qn '
		syscall:linux:mmap:return, syscall:linux32:mmap2:return /pid == $target && !errno/ { self->at = arg1; @n["mapped"] = count(); }
		syscall:linux:mmap:return, syscall:linux32:mmap2:return /pid == $target && arg1 >> 47/ { @n["not of a program"] = count(); }
		syscall::mprotect:entry /pid == $target && self->at && arg0 - self->at <= 4096/ { @n["the address that was returned"] = count(); }
		syscall::munmap:entry, syscall::mprotect:entry { self->at = 0; }
		END { printa("%s %@d\n", @n); }' -c "$BIN/$program threads 3" >"$T/out" 2>"$T/err"
	echo "-- $program"
	awk 'NF > 1 && $NF > 0 { sub(/ [0-9]+$/, ""); print }' "$T/out" | sort
	cat "$T/err"
done
