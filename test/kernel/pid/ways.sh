# SPDX-License-Identifier: MIT
# Jumps while a function still has its frame do not return from it: an interpreter's, by memory, and
# those between a function and a part of it without a name. Each call has one return.
. ../_lib.sh
dtrace -qn '
pid$target:a.out:ways_*:entry { printf("%s(%d)\n", probefunc, (int)arg0); }
pid$target:a.out:ways_*:return { printf("%s = %d\n", probefunc, (int)arg1); }' -c ways |
	sed -e '/ways_tail =/s/=.*/= ?/' -e /^$/d -e /^sum/d
