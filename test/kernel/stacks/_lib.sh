# SPDX-License-Identifier: MIT
# _lib.sh - functions of the cases of stacks.
. ../_lib.sh
cd "$BIN" || exit 1

# shown - remove addresses and offsets from a stack, and the frames of libc at its end.
shown()
{
	sed -e '/^$/d' -e '/libc\.so/d' -e '/ld-linux/d' -e 's/+0x[0-9a-f]*$//' \
		-e 's/0x[0-9a-f][0-9a-f]*/ADDRESS/' -e 's/libscript.*`script_call/ADDRESS/'
}

# stack ACTION VERB... - print the action's output where the toy interpreter fires; $UNWIND: options.
stack()
{
	action=$1
	shift
	dtrace -q -Z $UNWIND -n "script*:::at /progenyof(\$target)/ { $action; }" -c "$*" 2>&1 | shown
}

# functions - print one stack in each line, without the functions of libc that are named here.
functions()
{
	sed -e 's/^  *//' -e 's/+0x.*//' -e 's/^[^@`]*`//' -e 's/^0x.*//' -e '/^__libc/d' -e '/^raise/d' \
		-e '/^__pthread/d' -e '/^msort/d' -e '/^__restore/d' -e '/^_*qsort/d' -e '/^_*fork/d' \
		-e '/^gsignal/d' -e '/^$/d' | tr '\n@' ' \n' | sed -e '/^$/d' -e 's/ *$//'
	echo
}

# frames PROGRAM VERB... - print the stacks of a program.
frames()
{
	dtrace -q -Z -x ustackframes=40 -n 'frames*:::at /progenyof($target)/ { printf("@"); ustack(); }' -c "$*" 2>&1 | functions
}
