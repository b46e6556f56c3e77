/* args: -c "printf '<%s>' 'x  y' it's a\b" */
/* -c splits at white space, save within quotes; what does not close means itself. */
BEGIN
{
	printf("%d\n", $target > 1);
}
