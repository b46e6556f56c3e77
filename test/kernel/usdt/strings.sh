# SPDX-License-Identifier: MIT
# Strings of the program are copied in, whole or in part.
dtrace -q -c 'victim pair 2' -n '
victim$target:::pair { printf("%d %s %s\n", arg0, copyinstr(arg1), copyinstr(arg1, 4)); }'
