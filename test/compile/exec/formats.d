/* printf: conversions, flags, width, precision, arguments of *. */
BEGIN
{
	printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d]\n", 42, 42, 42, 42, 42, 42);
	printf("[%x] [%#x] [%X] [%o] [%#o] [%u]\n", 255, 255, 255, 8, 8, 7);
	printf("[%s] [%10s] [%-10s] [%.2s] [%*s] [%.*s]\n", "str", "str", "str", "str", 6, "str", 1, "str");
	printf("[%c] [%p] [%%] [%i]\n", 'z', 0x1000, -3);
	printf("[%hd] [%hhd] [%ld] [%lld] [%lu]\n", 70000, 300, 1, 2, 3);
	printf("[%S] [%C] [%Y]\n", "a\tb\"", 10, 0);
	printf("no arguments\n");
	trace("text"); trace(-5); trace((char)'a');
	printf("\n");
	exit(0);
}
