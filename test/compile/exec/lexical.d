/* Constants, comments and strings in every form. */
BEGIN // a comment between description and body
{
	printf("%d %d %d %d %d\n", 10, 010, 0x1F, 0XfuL, 7LLU); // to the end of the line
	printf("%d %d %d\n", sizeof (1), sizeof (1l), sizeof (1ull));
	printf("%x %x %x\n", 'A', 'AB', 'ABCDEFGH');
	printf("%d %d %d %d\n", '\n', '\101', '\x41', '\\');
	printf("tab\there \"quoted\" \x41\102 " "and " /* a comment */ "joined\n");
	printf("on \
one line\n");
}
BEGIN /* nothing */ / 4 / 2 == 2 / { printf("predicate %d\n", 8 / 2 / 2); }
:::BEGIN, dtrace:::B?GIN, :::?[E]GIN, :::[A-C]EGIN, :::[!X]EGIN { n++; }
BEGIN { printf("%d\n", n); exit(0); }
