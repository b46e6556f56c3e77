/* args: -xbtfpath=TYPES -xnolibs */
BEGIN
{
	this->header = (struct msghdr *)alloca(sizeof (struct msghdr));
	copyinto(arg1, sizeof (struct msghdr), this->header);
}
