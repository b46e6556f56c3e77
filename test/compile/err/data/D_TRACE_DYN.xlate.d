/* A translated object is nowhere. */
BEGIN
{
	trace(curcpu);
}
