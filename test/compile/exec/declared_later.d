/* Declarations take effect before any clause is compiled. */
BEGIN
{
	exit(last);
}

int last;
