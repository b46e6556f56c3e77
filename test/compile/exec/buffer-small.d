/* args: -b 100 */
/* A record that is larger than the buffer. */
BEGIN
{
	tracemem(alloca(200), 200);
	exit(0);
}
