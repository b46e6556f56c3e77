# SPDX-License-Identifier: MIT
# Twelve arguments: arg0 to arg9, and args[10] and args[11].
dtrace -q -c 'victim dozen' -n '
victim$target:::dozen
{
	printf("%d %d %d %d %d ", arg0, arg1, arg2, arg3, arg4);
	printf("%d %d %d %d %d\n", arg5, arg6, arg7, arg8, arg9);
	printf("%d %d %d\n", args[0], args[10], args[11]);
}'
