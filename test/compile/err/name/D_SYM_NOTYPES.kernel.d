BEGIN
{
	x = vmlinux`untyped;
}
