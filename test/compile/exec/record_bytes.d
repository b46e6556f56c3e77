/* A structure is shown as bytes, even if these are text. */
struct { int8_t x; } s;
struct { char text[4]; } t;
BEGIN
{
	s.x = 0x34;
	t.text[0] = 'a';
	trace(s);
	trace(t);
	exit(0);
}
