# SPDX-License-Identifier: MIT
# More than 65,280 sections: the extended tables are read, and written.
"$TOP/test/bench/link/generate" 330000 --sections >big.s
"$TOP/test/bench/link/generate" --provider >bench.d
as big.s -o big.o
readelf -hW big.o | sed -n 's/ *Number of section headers: *//p'
link -s bench.d -o p.o -v big.o
readelf -hW big.o | sed -n 's/ *Number of section headers: *//p'
link -s bench.d -o p.o -v big.o
echo 'int f32999(int); int main(void) { return f32999(1); }' >main.c
gcc main.c big.o p.o -o main
./main
readelf -SW main | awk '$2 == "dtrace_sites" || $3 == "dtrace_sites" { print "dtrace_sites" }'
