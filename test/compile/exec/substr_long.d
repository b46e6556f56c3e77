/* args: -xstrsize=8 */
/* The result of substr() is cut to the size of a string, not the memory that it is taken from. */
char b[32];
BEGIN
{
	bcopy("0123456", b, 7);
	bcopy("789abcd", &b[7], 7);
	bcopy("efghijk", &b[14], 8);
	printf("%s|%s|%s\n", substr((char *)b, 2), substr((char *)b, 12), substr((char *)b, 12, 3));
	exit(0);
}
