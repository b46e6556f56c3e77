# SPDX-License-Identifier: MIT
# Objects without called sites are not written: same file, same bytes, same time.
echo 'provider p { probe a(int); };' >p.d
header -s p.d -o p.h
printf '#include "p.h"\nint main(int argc, char **argv) { (void)argv; P_A(argc); return 0; }\n' >records.c
echo 'int g;' >plain.c
cc gcc -g -c records.c plain.c
chmod 444 records.o plain.o
touch -d '2001-02-03 04:05:06.789' records.o plain.o
stat -c '%i %Y %y %Z %a' records.o plain.o >before
link -s p.d -o p.o records.o plain.o
stat -c '%i %Y %y %Z %a' records.o plain.o | cmp - before
cc gcc records.o plain.o p.o -o main
./main
sites main
declared main
