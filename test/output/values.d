/* SPDX-License-Identifier: MIT */
/* Values of each kind; strings are UTF-8 whatever bytes they hold. */
BEGIN
{
	trace(1);
	trace((char)-3);
	trace((unsigned char)253);
	trace(0xffffffffffffffff);
	trace("a \"q\"\t\\ <&>");
	trace("\001\177 \303\251 \342\202\254 \360\237\220\247");
	trace("\377\376 \303 \300\200 \355\240\200 \360\237");
	printf("%d %s %*x\n", -5, execname, 6, 255);
	printf("nothing");
	exit(0);
}
