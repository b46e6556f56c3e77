/* SPDX-License-Identifier: MIT */
/* bare.c - a library without a probe, linked with drti: nothing is registered; see registered.c. */
int bare(int x)
{
	return x;
}
