/* args: -xbtfpath=TYPES -xnolibs */
BEGIN
{
	trace(((struct msghdr *)arg1)->msg_iov);
}
