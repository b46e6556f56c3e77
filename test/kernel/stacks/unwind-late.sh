# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Code that the session did not know when it began: a library that is loaded later, a program that is started later, without -p
# or -c, and its children.
. ./_lib.sh
dtrace -q -Z -n 'frames$target:::at { @[ustack()] = count(); }
	tick-100ms { printa(@); trunc(@); }' -c "./frames until $T/stop load ./libframes.so" >"$T/load" 2>&1 &
await grep -q main "$T/load"
touch "$T/stop"
wait
# some of the first have ended at the library
sed -e '/^$/d' -e 's/^  *//' -e 's/+0x.*//' "$T/load" | tr '\n' ' ' |
	grep -o 'libframes.so`frames_inside libframes.so`frames_through[^ ]* frames`frames_load frames`verb frames`main' | head -1

session late -n 'frames*:::at /execname == "frames"/ { @[ustack()] = count(); } tick-100ms { printa(@); trunc(@); }'
./frames until "$T/enough" plain fork &
await grep -q main "$T/late.out"
touch "$T/enough"
wait $!
await grep -q frames_fork "$T/late.out"
kill -TERM $SESSION
wait $SESSION
sed -e 's/^  *//' -e 's/+0x.*//' "$T/late.out" | sed -n '/frames_middle/,/main/p' | tr '\n' ' ' |
	grep -o 'frames`frames_middle frames`frames_plain frames`frames_fork frames`verb frames`main' | head -1
