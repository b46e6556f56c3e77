BEGIN
{
	x = vmlinux`jiffies;
}
