# SPDX-License-Identifier: MIT
# The value of a function of a module is as wide as its prototype says, if the module has types: an int that is an error is
# negative, as args[1] is.
# @@needs: types
# @@kernels: 6.1 6.12
dtrace -qn 'fbt:loop:lo_ioctl:return /pid == $target/ { printf("%d, %s\n", arg1, arg1 == args[1] ? "as args[1]" : "not args[1]"); }' \
	-c 'losetup -d /dev/loop0' 2>/dev/null | sed /^$/d
