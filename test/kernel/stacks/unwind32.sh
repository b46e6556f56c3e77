# SPDX-License-Identifier: MIT
# @@worlds: kernel 32-bit programs
# @@timeout: 60
# Stacks of programs of 32 bits without frame pointers, by their unwind tables; those of both kinds of programs
# in one session.
. ./_lib.sh
for program in frames-i386 frames-i386-static; do
	echo "$program"
	frames ./$program plain alloca aligned sort deep 3 fork
done

echo "both"
./frames until "$T/seen" plain &
WIDE=$!
./frames-i386 until "$T/seen" plain &
dtrace -q -n 'frames*:::at /seen[pid]++ == 0/ { ustack(2); n++; } frames*:::at /n == 2/ { exit(0); }' \
	-p $WIDE -p $! 2>&1 | shown | sort
touch "$T/seen"
wait
