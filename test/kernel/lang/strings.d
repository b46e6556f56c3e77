/* SPDX-License-Identifier: MIT */
/* The string subroutines. */
#pragma D option quiet
BEGIN
{
	printf("%d %s\n", strlen("hello"), strjoin("abc", "def"));
	printf("%s %s\n", basename("/usr/lib/libc.so"), dirname("/usr/lib/libc.so"));
	printf("%s %s\n", cleanpath("/usr//lib/../bin/./x"), substr("abcdef", 2));
	printf("%s %s\n", substr("abcdef", 1, 3), substr("abcdef", -2));
	printf("%s %s %s\n", strchr("a.b.c", '.'), strrchr("a.b.c", '.'), strstr("haystack", "st"));
	printf("%d %d %d\n", index("banana", "an"), rindex("banana", "an"), index("banana", "x"));
	printf("%s %s\n", lltostr(-42), lltostr(255, 16));
	printf("%s %s\n", toupper("MiXed"), tolower("MiXed"));
	printf("%d %d\n", strtoll("1234"), strtoll("ff", 16));
	printf("%s %s\n", json("{\"a\": {\"b\": [1, 22]}}", "a.b[1]"), json("{\"k\": \"v\"}", "k"));
	printf("%s %s\n", strtok("one,two", ","), strtok(NULL, ","));
	printf("%x %x %x\n", htons(0x1234), htonl(0x12345678), ntohll(1));
	printf("%d %d\n", "abc" == "abc", "abc" < "abd");
	exit(0);
}
