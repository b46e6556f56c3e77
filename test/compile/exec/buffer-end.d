/* args: -b 230 -xbufpolicy=fill */
/* A record that fits, but not beside what END will record. */
BEGIN
{
	tracemem(alloca(200), 200);
	exit(0);
}

END
{
	trace(1);
	trace(2);
}
