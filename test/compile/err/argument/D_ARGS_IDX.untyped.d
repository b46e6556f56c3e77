/* SPDX-License-Identifier: MIT */
noted1234:::plain
{
	trace(args[12]);
}
