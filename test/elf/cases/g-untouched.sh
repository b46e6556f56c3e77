# SPDX-License-Identifier: MIT
# Objects without call sites are not written: same file, same bytes, same time. One with them beside those is.
echo 'provider p { probe a(int); };' >p.d
header -s p.d -o p.h
printf '#include "p.h"\nint main(int argc, char **argv) { (void)argv; P_A(argc); return 0; }\n' >records.c
echo 'int g;' >plain.c
printf '#include "p.h"\nint called(int x) { P_A(x); return 0; }\n' >called.c
cc gcc -g -c records.c plain.c
cc gcc -DSDT_USE_CALLS -c called.c
for o in records plain called; do cp $o.o $o.before; done
chmod 444 records.o plain.o
touch -d '2001-02-03 04:05:06.789' records.o plain.o called.o
# same OBJECT BEFORE - whether the object is the file that it was.
same() { [ "$(stat -c '%i %Y %y %Z %a' $1.o)" = "$2" ] && cmp -s $1.o $1.before; }
for o in records plain called; do stat -c '%i %Y %y %Z %a' $o.o >$o.stat; done
for o in records plain called; do same $o "$(cat $o.stat)" && echo "$o.o as it was"; done
link -s p.d -o p.o records.o plain.o called.o
echo "-- after dtrace -G"
for o in records plain called; do same $o "$(cat $o.stat)" && echo "$o.o as it was" || echo "$o.o is written"; done
cc gcc records.o plain.o called.o p.o -o main
./main
sites main
declared main
