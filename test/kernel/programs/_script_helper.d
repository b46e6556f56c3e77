/* SPDX-License-Identifier: MIT */
/*
 * The helper of the toy interpreter: it finds functions beside script_call's return address, and does
 * unusual things for functions with unusual names.
 */
#ifdef NARROW
#define MAGIC	(*(uint32_t *)copyin(arg2 + 8, 4) == 0x74706972)
#define WORD(p)	(*(uint32_t *)copyin(p, 4))
#define FUNCTION	WORD(arg2 + 12)
#else
#define MAGIC	(*(uint64_t *)copyin(arg2 + 8, 8) == 0x7470697263736f74)
#define WORD(p)	(*(uint64_t *)copyin(p, 8))
#define FUNCTION	WORD(arg2 + 16)
#endif

dtrace:helper:ustack:
/arg2 != 0 && MAGIC/
{
	this->name = copyinstr(WORD(FUNCTION));
	0;
}

dtrace:helper:ustack:
/strlen(this->name)/
{
	this->name;
}

dtrace:helper:ustack:
/this->name == "number"/
{
	7;
}

dtrace:helper:ustack:
/this->name == "empty"/
{
	"";
}

dtrace:helper:ustack:
/this->name == "fault"/
{
	*(int *)copyin(8, 4);
}

dtrace:helper:ustack:
/this->name == "kernel"/
{
	*(int *)0xffffffff81000000;
}

dtrace:helper:ustack:
/this->name == "zero"/
{
	1 / (arg0 - arg0);
}

dtrace:helper:ustack:
/this->name == "note"/
{
	"@said by the helper";
}

dtrace:helper:ustack:
/this->name == "lines"/
{
	"third\n@the innermost\nsecond\nfirst";
}

dtrace:helper:ustack:
/this->name == "pointer"/
{
	this->chars = (char *)alloca(4);
	this->chars[0] = 'p';
	this->chars[1] = 't';
	this->chars[2] = 'r';
	this->chars;
}

dtrace:helper:ustack:
/this->name == "if"/
{
	if (arg0 == 0) {
		"never";
	} else {
		"chosen";
	}
	if (arg0 == 0) {
		"never";
	}
}

dtrace:helper:ustack:
/this->name == "data"/
{
	copyinstr(arg3);
}

/* work: a string that grows, and is searched again and again */
dtrace:helper:ustack:
/this->name == "work"/
{
	this->long = strjoin("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	this->long = strjoin(this->long, this->long);
	this->long = strjoin(this->long, this->long);
	this->long = strjoin(this->long, this->long);
	this->long = strjoin(this->long, this->long);
	this->long = strjoin(this->long, this->long);
	this->part = strjoin(substr(this->long, 0, 1000), "b");
	this->long = strjoin(this->long, this->long);
	this->n = index(this->long, this->part) + index(this->long, this->part) +
	    index(this->long, this->part) + index(this->long, this->part) +
	    index(this->long, this->part) + index(this->long, this->part) +
	    index(this->long, this->part) + index(this->long, this->part) +
	    index(this->long, this->part) + index(this->long, this->part);
	this->n;
}
