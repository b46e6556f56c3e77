# SPDX-License-Identifier: MIT
# Entries and returns are as many as calls, with their arguments and values.
dtrace -q -c 'dd if=/dev/zero of=/dev/null bs=7 count=50' -n '
fbt:vmlinux:vfs_write:entry
/pid == $target && arg2 == 7/
{
	self->in = 1;
	@["entries"] = count();
}

fbt:vmlinux:vfs_write:return
/self->in/
{
	self->in = 0;
	@["returns"] = count();
	@v["value", arg1] = count();
	@o["offset", (int)arg0] = count();
}
END
{
	printa("%s %@d\n", @);
	printa("%s %d: %@d\n", @v);
	printa("%s %d: %@d\n", @o);
}' 2>/dev/null
