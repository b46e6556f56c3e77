# SPDX-License-Identifier: MIT
# The object that -G makes: where it goes, for which machine, the same bytes each time; without objects, without a provider file.
cat >prov.d.base <<'X'
provider p { probe a(int); };
X
cp prov.d.base plain
mkdir sub
cp prov.d.base sub/x.dtrace
link -s prov.d.base
link -s plain
link -s sub/x.dtrace
ls *.o sub
link -s plain -o sub/32.o -32
link -s plain -o sub/64.o -64
file_class() { readelf -hW $1 | sed -n 's/ *Class: *//p'; }
file_class plain.o; file_class sub/32.o; file_class sub/64.o
cmp plain.o sub/64.o
printf '\t.text\nf:\tret\n' | as --32 -o i386.o
link -s plain -o auto.o i386.o
cmp auto.o sub/32.o
nm plain.o | awk '$2 ~ /^[A-TV-Z]$/ { print $2, $3 }'
echo "-- from the objects"
cat >a.s <<'X'
	.text
	.type f, @function
f:	call __dtrace_one___x
	call __dtrace_one___y__z
	call __dtraceenabled_two___x
	.size f, . - f
X
as a.s -o a.o
link -o learned.o a.o
declared learned.o
sites a.o
link a.o
link
echo "-- a device"
link -s plain -o /dev/null
ls -la /dev/null | cut -c1-10
header -s plain -o /dev/stdout | head -1
echo "-- an input that is missing leaves no output"
link -s missing.d -o none.o
header -s missing.d -o none.h
header -s missing.d
ls none.* missing.* 2>/dev/null || :
echo "-- an object of the program is not lost; an earlier output may come with the objects"
printf '\t.text\nf:\tret\n' | as - -o plain.o
link -s plain plain.o
link -s plain -o ./plain.o auto.o plain.o
nm plain.o | grep -c ' t f$'
rm plain.o
link -s plain
link -s plain plain.o
echo "-- nor is the provider file"
cp plain own.d; ln -s own.d link.d; cp plain own.h
header -s own.d -o own.d
header -s link.d -o ./own.d
header -s own.h
link -s own.d -o link.d
cmp plain own.d; cmp plain own.h
