# SPDX-License-Identifier: MIT
# Behind the action of -n all words are arguments; predicate and action may be words of their own before that.
dtrace -qn 'BEGIN { printf("%s\n", $$1); exit(0); }' /etc/passwd
dtrace -qn 'BEGIN { printf("%s %s\n", $1, $$2); exit(0); }' '{braces}' /x/
dtrace -qn BEGIN '{ printf("%s\n", $$1); exit(0); }' /etc/passwd
dtrace -qn BEGIN '/$1 == 7/' '{ printf("%s\n", $$2); exit(0); }' 7 /etc/passwd
dtrace -qn 'BEGIN /$1 != "{"/' '{ printf("%s\n", $1); exit(0); }' 'a b'
dtrace -q -i 1 '{ printf("%s\n", $$1); exit(0); }' /etc/passwd
dtrace -qP dtrace '/probename == "BEGIN"/ { printf("%s\n", $$1); exit(0); }' /x/y
# What is neither an integer nor an identifier is a string.
dtrace -qn 'BEGIN /$1 == "/etc/passwd"/ { printf("%d %s", strlen($1), $2); exit(0); }' /etc/passwd 'a-b\n'
dtrace -qn 'BEGIN { printf("%s|%s|%d|%d\n", $1, $2, $3, $4); exit(0); }' -- foo.d '"x\ty"' -5 0x10
dtrace -qn 'BEGIN { printf("[%s]\n", $1); exit(0); }' ''
dtrace -qn 'BEGIN { printf("%d\n", $1); exit(0); }' pid
dtrace -en 'BEGIN { trace($1); }' 'a\'
dtrace -en 'BEGIN { trace($1); }' 99999999999999999999
printf '%s' 'BEGIN { trace($0); exit(0); }' >my-script.d
dtrace -qs my-script.d
