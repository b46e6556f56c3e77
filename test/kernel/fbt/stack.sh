# SPDX-License-Identifier: MIT
# stack() and caller at entry and return begin with the caller, whatever functions below are traced.
. ./_lib.sh
load
dtrace -qn 'fbt:functions::entry, fbt:functions::return { }
fbt:functions:functions_inner:entry { printf("entry\n"); stack(2); sym(caller); printf("\n"); }
fbt:functions:functions_inner:return { printf("return\n"); stack(2); sym(caller); printf("\n"); }
fbt:functions:functions_deep:entry /arg0 == 0/ { printf("\ndeep\n"); stack(3); }
fbt:functions:functions_deep:return { @ = count(); }
END { printa("%@d returns\n", @); }' -c 'sh -c "echo 1 >/sys/module/functions/parameters/call"' | sed 's/+0x[0-9a-f]*//;s/^ *//;s/ *$//'
unload
