# SPDX-License-Identifier: MIT
# freopen() and ftruncate(): where output goes, and what remains of it.
dtrace -qw -n 'BEGIN { printf("1 first\n"); freopen("a"); printf("2 a\n"); freopen("%s%d", "b", 7);
	printf("3 b7\n"); freopen(""); printf("4 first\n"); freopen("a"); printf("5 a\n"); exit(0); }'
echo "a:"
cat a
echo "b7:"
cat b7

# Output that was never elsewhere stays where it is; so does output that cannot go elsewhere.
dtrace -qw -n 'BEGIN { freopen(""); printf("6 first\n"); exit(0); }'
dtrace -qw -n 'BEGIN { freopen("/nowhere/out"); printf("7 goes on\n"); exit(3); }'
echo "status $?"

# Of a file, what follows ftruncate() remains. A pipe has passed on what came before.
dtrace -qw -o c -n 'BEGIN { printf("8 gone\n"); ftruncate(); printf("9 c\n"); exit(0); }'
dtrace -qw -o c -n 'BEGIN { freopen("d"); printf("10 gone\n"); ftruncate(); printf("11 d\n"); exit(0); }'
echo "c and d:"
cat c d
dtrace -qw -n 'BEGIN { printf("12 first\n"); ftruncate(); printf("13 first\n"); exit(0); }' | cat
dtrace -qw -n 'BEGIN { printf("14 gone\n"); ftruncate(); printf("15 e\n"); exit(0); }' >e
cat e
