/* SPDX-License-Identifier: MIT */
/* traced.d - what dtrace sees of the probes of traced.py and of traced.pl. */

traced$target:::numbers
{
	printf("numbers %d %d %d %d %u\n", arg0, arg1, arg2, arg3, arg4);
}

traced$target:::text
{
	printf("text <%s> <%s> <%s>\n", copyinstr(arg0), copyinstr(arg1), copyinstr(arg2));
}

traced$target:::wide
{
	printf("wide %d %d %d\n", arg0, arg9, args[31]);
}

traced*:::tick
/arg0 >= 1000/
{
	@[pid == $target ? "threads" : "child"] = count();
}

traced$target:::tick
/arg0 < 1000/
{
	printf("tick %d\n", arg0);
}

END
{
	printa("%s %@d\n", @);
}
