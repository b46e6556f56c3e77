#!/usr/sbin/dtrace -s
/* Lines that begin with #. */
#pragma D option quiet
#pragma D option strsize=512
#pragma D attributes Stable/Evolving/Common provider simple provider
#pragma D binding "1.0" x
#pragma D depends_on provider dtrace
#pragma ident "anything"
#ident "anything"
#pragma other thing
#line 100 "elsewhere.d"
provider simple {
	probe saw__line(int, char *name);
	probe two(int a, string b) : (string b, int a);
};
extern int e;
BEGIN
{
	exit(0);
}
