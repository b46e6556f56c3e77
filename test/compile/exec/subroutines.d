/* Subroutines on strings, paths and addresses, where classic DTrace has its own mind. */
BEGIN
{
	printf("%s|%s|%s|%s\n", substr("abcdef", -8), substr("abcdef", -8, 3), substr("abcdef", -8, -1),
	    substr("abcdef", 1, -1));
	printf("%s|%s|%s\n", cleanpath("/foo//bar/./baz"), cleanpath("/foo/bar/.."), cleanpath("a/../b"));
	printf("%s|%s|%s|%s\n", lltostr(-1), lltostr(255, 16), lltostr(8, 8), lltostr(0, 16));
	printf("%d|%d|%d\n", strtoll("0x1f", 16), strtoll(" -12x"), strtoll("z", 36));
	printf("%s|%s\n", strtok("a,b;c", ",;"), strtok(NULL, ",;"));
	printf("%d %d %d %d\n", index("abcabc", "c", 3), rindex("abcabc", "c", 4), index("a", "", 9),
	    rindex("a", "b"));
	printf("%x %x %x\n", htons(0x1234), ntohl(0x12345678), htonll(0x0102030405060708));
	this->a = (uint8_t *)alloca(20);
	this->a[0] = 127;
	this->a[3] = 1;
	printf("%s|%s|%s\n", inet_ntoa((uint32_t *)this->a), inet_ntop(2, this->a), link_ntop(1, this->a));
	printf("%s\n", inet_ntoa6((struct in6_addr *)(this->a + 4)));
	printf("%d %d\n", getmajor(8 << 20 | 17), getminor(8 << 20 | 17));
	printf("%s|%s|%s|%s\n", basename("/a/b/"), dirname("/a/b/"), basename("/"), dirname("b"));
	printf("%s|%s\n", toupper("aB1"), tolower("aB1"));
	printf("%s|%s\n", json("{\"a\": [1, {\"b\": \"c d\"}]}", "a[1].b"), json("[true, -1.5e3]", "[1]"));
	printf("%s %d %s %s\n", zonename, jid, jailname, execargs);
	exit(0);
}
