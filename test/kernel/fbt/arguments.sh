# SPDX-License-Identifier: MIT
# All arguments: those in registers and those on the stack; and values of each width.
. ./_lib.sh
load
dtrace -qn 'fbt:functions:functions_many:entry
{
	printf("%d %c %d %d %d %d %d %d\n", (int)arg0, (char)arg1, (ushort_t)arg2, arg3, arg4, arg5, arg6, (int)arg7);
}
fbt:functions:functions_many:return { printf("returns %d\n", arg1); }
fbt:functions:functions_negative:return { printf("returns %d\n", (int)arg1); }
fbt:functions:functions_byte:entry { printf("%x\n", arg0); }
fbt:functions:functions_byte:return { printf("returns %x\n", (uint8_t)arg1); exit(0); }' -c 'sh -c "echo 1 >/sys/module/functions/parameters/call"'
unload
