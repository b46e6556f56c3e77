# SPDX-License-Identifier: MIT
# _lib.sh - what the cases of stacks share.
. ../_lib.sh
cd "$BIN" || exit 1

# shown - addresses and offsets of a stack left out, and what libc has at its end.
shown()
{
	sed -e '/^$/d' -e '/libc\.so/d' -e '/ld-linux/d' -e 's/+0x[0-9a-f]*$//' \
		-e 's/0x[0-9a-f][0-9a-f]*/ADDRESS/' -e 's/libscript.*`script_call/ADDRESS/'
}

# stack ACTION VERB... - what the action says where the toy interpreter fires; $UNWIND: options.
stack()
{
	action=$1
	shift
	dtrace -q -Z $UNWIND -n "script*:::at /progenyof(\$target)/ { $action; }" -c "$*" 2>&1 | shown
}
