/* Strings: comparison, subroutines, subscripts, joining. */
string s;

BEGIN
{
	s = "hello"; t = "help";
	printf("%d %d %d %d %d %d\n", s == t, s != t, s < t, s <= s, s > t, t >= s);
	printf("%d %s %c%c\n", strlen(s), s + ", " + t, s[0], t[3]);
	printf("%s|%s|%s\n", substr(s, 1), substr(s, 1, 3), substr(s, -2));
	printf("%s|%s|%s\n", strchr(s, 'l'), strrchr(s, 'l'), strstr(s, "ll"));
	printf("%d %d %d %d\n", index(s, "l"), rindex(s, "l"), index(s, "z"), index(s, "l", 3));
	printf("%d %d\n", strstr(s, "ll") != NULL, strstr(s, "zz") == 0);
	printf("%s %s\n", toupper(s), tolower("ABC"));
	printf("%s %s %s\n", basename("/a/b/c.d"), dirname("/a/b/c.d"), cleanpath("/a/./b/../c"));
	printf("%s %s %s\n", lltostr(-42), lltostr(255, 16), strjoin(s, "!"));
	printf("%d %d\n", strtoll("123"), strtoll("ff", 16));
	this->first = strtok("a:b;c", ":;"); this->second = strtok(NULL, ":;");
	printf("%s %s %s\n", this->first, this->second, strtok(NULL, ":;"));
	printf("%s\n", json("{\"a\": {\"b\": [1, 22, 3]}}", "a.b[1]"));
	printf("%s\n", inet_ntop(AF_INET6, alloca(16)));
	printf("%x %x\n", htons(0x1234), ntohl(0x12345678));
	printf("%s\n", "one " "two\tthree\x21\041\n" == "" ? "empty" : "not empty");
	printf("%s\n", stringof((char *)copyin((uintptr_t)strjoin("copied", ""), 7)));
	exit(0);
}
