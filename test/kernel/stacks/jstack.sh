# SPDX-License-Identifier: MIT
# Helpers name the frames of a toy interpreter: without frame pointers, with them, in 32 bits.
. ./_lib.sh
UNWIND="-x unwind=fp"	# frames that only helpers find
stack 'jstack(20, 2048)' ./script load ./libscript.so run main,work1,leaf
stack 'jstack(20, 2048)' ./script-walk load ./libscript.so run main,work1,leaf
[ "$KERNEL" = user ] || stack 'jstack(20, 2048)' ./script-i386 load ./libscript-i386.so run main,work1,leaf
echo ustack
stack 'ustack(20, 2048)' ./script load ./libscript.so run main
echo "ustack without strings"
stack 'ustack(20)' ./script load ./libscript.so run main
echo "two frames"
stack 'jstack(2, 2048)' ./script load ./libscript.so run main,middle,leaf
