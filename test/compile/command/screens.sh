# SPDX-License-Identifier: MIT
# What is printed beside the data: matches, titles, columns, indentation, stability.
export _DTRACE_TESTING=1
dtrace -n 'BEGIN { trace(1); exit(0); }' 2>&1
dtrace -n BEGIN -n 'BEGIN, END { exit(0); }' 2>&1
dtrace -n 'BEGIN { trace(1); } BEGIN { trace(2); exit(0); } END {}' 2>&1
dtrace -F -n 'BEGIN { trace(1); exit(0); } END' 2>&1
dtrace -Fq -n 'BEGIN { trace(1); exit(0); } END' 2>&1
dtrace -q -n 'BEGIN { trace(1); exit(0); } END' 2>&1
dtrace -B -n 'BEGIN { trace(1); exit(0); } END' 2>&1
dtrace -n 'BEGIN { trace(1); setopt("quiet"); } BEGIN { trace(2); setopt("quiet", "no"); } BEGIN { trace(3); exit(0); }' 2>&1
dtrace -qn 'BEGIN { trace(1); setopt("flowindent"); } BEGIN { trace(2); exit(0); }' 2>&1
dtrace -Z -n 'nosuch:::probe' -n 'BEGIN { exit(0); }' 2>&1
dtrace -n 'BEGIN { @ = count(); @a[1] = sum(2); exit(0); }' 2>&1
dtrace -qn 'BEGIN { @ = count(); printa("%@d\n", @); exit(0); }' 2>&1
unset _DTRACE_TESTING
dtrace -n 'BEGIN { trace(1); exit(0); }' 2>&1
dtrace -F -n 'BEGIN { trace(1); exit(0); }' 2>&1
# -v
dtrace -ve -n 'BEGIN { trace(pid); }'
echo 'BEGIN { trace(curthread); }' >script.d
dtrace -ve -s script.d -n 'END'
dtrace -e -n 'BEGIN'
dtrace -qvn 'BEGIN { exit(0); }'
dtrace -lvn BEGIN
dtrace -lvi 2
dtrace -e -v -o listed -n END
cat listed
# A program of several words; braces within quotes are no action.
dtrace -qn 'BEGIN /"{" != execname/' '{ printf("%s\n", $$1); exit(0); }' '{'
dtrace -qn "BEGIN /'{' == 123/" '{ printf("%d\n", $1); exit(0); }' 7
dtrace -qn 'BEGIN /"\"{" != execname/' '{ printf("%d\n", $1); exit(0); }' 7
