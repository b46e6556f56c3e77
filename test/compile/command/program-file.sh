# SPDX-License-Identifier: MIT
# Files that hold no program.
dtrace -qs .
dtrace -qs nothing.d
printf 'BEGIN { exit(0); }\0' >nul.d
dtrace -qs nul.d
: >empty.d
dtrace -qs empty.d
# The control, longer than the library reads at once.
{ seq -f '/* %g */' 20000; echo 'BEGIN { trace("read"); exit(0); }'; } >long.d
dtrace -qs long.d
echo 'BEGIN { trace("read"); exit(0); }' | dtrace -qs /dev/stdin
