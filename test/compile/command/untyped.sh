# SPDX-License-Identifier: MIT
# Arguments of unknown types are counted; those without a variable of their own are integers of args[].
dtrace -lv -P noted1234 | sed -n '/Argument Types/,$p'
dtrace -lv -x oformat=json -P noted1234 | grep -o '"arguments.*'
dtrace -e -n 'noted1234:::plain { trace(arg0 + args[10]); }' && echo compiled
