/* SPDX-License-Identifier: MIT */
/* The condition of an if is nothing that a helper says: it has no value, other statements have. */
dtrace:helper:ustack:
{
	if (arg0 > 5)
		"more";
}
