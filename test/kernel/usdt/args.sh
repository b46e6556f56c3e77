# SPDX-License-Identifier: MIT
# Arguments of every size arrive with their sign; args[] has the types of the provider file.
# @@also: 6.1-rt 6.12-rt
dtrace -q -c 'victim wide' -n '
victim$target:::wide
{
	printf("%d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5);
	printf("%d %u %s %d\n", arg6, arg7, copyinstr(arg8), arg9);
	printf("%d %d %d %d %d %u\n", args[0], args[1], args[2], args[3], args[4], args[5]);
	printf("%d %u %s %d\n", args[6], args[7], copyinstr((uintptr_t)args[8]), args[9]);
}'
