# SPDX-License-Identifier: MIT
# -i takes numbers of probes, and ranges of them.
dtrace -l -i 1,3
dtrace -l -i 1-3
dtrace -qi '1-2 { printf("%s\n", probename); }' -n 'BEGIN { exit(0); }'
dtrace -xargref -qi 1-2,3 '/probename == "END"/' '{ printf("%s %d\n", probename, $1); }' -n 'BEGIN { exit(0); }' 7
dtrace -i 2-2 -n 'BEGIN { exit(0); }' | grep -c ':END'
for text in 3-1 1- -3 1-2-3 1, , 1--2 1-70000 0-4294967296 1-99999999999999999999 1x BEGIN 1-2BEGIN; do
	dtrace -ei "$text"
done
dtrace -ei 7-8
