# SPDX-License-Identifier: MIT
# An index outside of an array is a fault, wherever the array is, and no variable beside it changes. Through a pointer,
# memory beyond a variable is one.
# @@timeout: 180
. ../_lib.sh
try() { # DECLARATION ARRAY INDEX...
	declaration=$1 array=$2
	shift 2
	for index in "$@"; do
		dtrace -qn 'int i, faults; int b[4]; '"$declaration"' int c[4];
			BEGIN { b[0] = b[1] = b[2] = b[3] = 7; '"$array"'[0] = '"$array"'[2] = 9; c[0] = c[1] = c[2] = c[3] = 8; i = $1; }
			BEGIN { this->there = '"$array"'[i]; load = 1; }
			BEGIN { '"$array"'[i] = 5; store = 1; }
			BEGIN { printf("%s[%d]:%s%s", $$2, i, load ? " read" : "", store ? " written" : ""); }
			BEGIN /faults/ { printf(" %d faults", faults); }
			BEGIN /i != $1 || b[0] != 7 || b[1] != 7 || b[2] != 7 || b[3] != 7 ||
				c[0] != 8 || c[1] != 8 || c[2] != 8 || c[3] != 8/ { printf(" beside it, too"); }
			BEGIN { exit(0); }
			dtrace:::ERROR /arg4 == DTRACEFLT_BADADDR/ { faults++; }' -- "$index" "$array" 2>/dev/null
	done
}
try 'int a[3];' a -5 -4 -3 -2 -1 0 2 3 4 5 6 1000000
try 'this int a[3];' 'this->a' -1 0 3
try 'self int a[3];' 'self->a' -1 2 3
try 'int keyed[int][3];' 'keyed[4]' -1 2 3
try 'int matrix[2][3];' 'matrix[0]' -1 2 3
try 'char text[10];' text -1 9 10
try 'uint64_t large[3];' large -1 2 3
try 'struct s { int before, a[3], after; }; struct s s;' s.a -1 0 2 3
try 'struct s { int before, a[3], after; }; self struct s s;' 'self->s.a' -1 2 3
try 'int a[3], *p; BEGIN { p = a; }' p -2 -1 0 2 3 4
