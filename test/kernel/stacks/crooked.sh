# SPDX-License-Identifier: MIT
# Stack pointers and frame pointers to unmapped memory, in cycles, or into the kernel, and words that only look like
# the helper's: stacks are short or wrong, and nothing else happens. Without the module, probes need a stack.
. ./_lib.sh
[ "$KERNEL" = user ] && writable=writable || writable=
dtrace -q -Z -n '
crooked$target:::at
{
	@stacks[jstack(50, 1024)] = count();
	@depth[ustackdepth > 0 && ustackdepth <= 1024 ? "depth is right" : "depth is wrong"] = count();
	@caller[ucaller != 1] = count();
	@fired["hits"] = sum(1);
}
END
{
	clear(@stacks);
	trunc(@stacks);
	trunc(@caller);
	printa("%s %@d\n", @depth);
	printa("%s %@d\n", @fired);
}' -c "./crooked ./libscript.so $writable" 2>&1 | sed '/^$/d'
