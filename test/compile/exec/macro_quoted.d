/* args: '"text"' '""' */
/* An argument of the script that is quoted itself is a string for $1, and $$1 has the quotes. */
BEGIN
{
	printf("%s|%s|%s|%d\n", $1, $2, $$1, $1 == "text");
	exit(0);
}
