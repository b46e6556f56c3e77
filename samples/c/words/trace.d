/* SPDX-License-Identifier: MIT */
/* trace.d - what libwords finds, for dtrace -q -s trace.d -c 'count FILE' */

words$target:::word
{
	@["letters of words"] = lquantize(arg1, 0, 10, 2);
}

count$target:::file-done
{
	printf("%s has %d lines and %d words\n", copyinstr(arg0), args[1], args[2]);
}
