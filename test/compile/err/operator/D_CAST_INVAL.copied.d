/* args: -xbtfpath=TYPES -xnolibs */
BEGIN
{
	trace(((struct msghdr *)copyin(arg1, sizeof (struct msghdr)))->msg_flags);
}
