#!/usr/sbin/dtrace -s
/* Lines that begin with #. */
#pragma D option quiet
#pragma D option strsize=512	/* with a comment */
#pragma D attributes Stable/Evolving/Common provider simple provider
#pragma D binding "1.0" x
#pragma D attributes Evolving/Evolving/ISA x
#pragma D depends_on provider dtrace
#pragma D depends_on module kernel
#pragma D ident "anything"
#pragma ident "anything"
#ident "anything"
#pragma other thing
#pragma D line 90 "elsewhere.d"
#line 100 "elsewhere.d"
provider simple {
	probe saw__line(int, char *name);
	probe two(int a, string b) : (string b, int a);
};
#pragma D attributes Stable/Evolving/Common provider simple args
extern int e;
int x;
	#pragma D binding "1.2.1" x
BEGIN
{
#pragma D option nspec=2
	exit(0);
}
