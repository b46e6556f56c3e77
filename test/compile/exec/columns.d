/* args: -xquiet=no -xstackindent=3 */
/* The default form: titles, columns of each size of integer, strings, bytes, an empty clause. */
BEGIN
{
	trace("text");
	trace(1);
	trace(-1LL);
	trace((short)-2);
	trace((char)-3);
	trace((unsigned char)253);
	trace((uint16_t)65534);
}

BEGIN
{
	this->p = (char *)alloca(40);
	bcopy("some text with \n a newline", this->p, 26);
	tracemem(this->p, 40);
	tracemem(this->p, 40, 5);
	tracemem(this->p, 3, 0);
	tracemem(this->p, 3, 9);
}

BEGIN {}

BEGIN
{
	printf("a\n");
	stack(1);
	sym((uintptr_t)16);
	mod((uintptr_t)16);
	exit(0);
}
