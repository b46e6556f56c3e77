# SPDX-License-Identifier: MIT
# Arguments whose types nobody knows are counted; what has no variable of its own is an integer of args[].
dtrace -lv -P noted1234 | sed -n '/Argument Types/,$p'
dtrace -lv -x oformat=json -P noted1234 | grep -o '"arguments.*'
dtrace -e -n 'noted1234:::plain { trace(arg0 + args[10]); }' && echo compiled
