/* Precision 0 of a string is none. */
BEGIN
{
	printf("%.0s|%.*s|%.3s|%8.0s|\n", "hello", 0, "hello", "hello", "hello");
	exit(0);
}
