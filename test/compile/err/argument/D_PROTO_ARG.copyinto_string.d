BEGIN
{
	copyinto(arg0, 5, (string)alloca(10));
}
