/* SPDX-License-Identifier: MIT */
/* @@kernels: 6.1 6.12 */
/* if and else, also nested. */
#pragma D option quiet
int i;

tick-10ms
{
	if (i == 0) {
		printf("zero\n");
	} else if (i == 1) {
		printf("one\n");
	} else {
		if (i > 2)
			printf("many\n");
		else
			printf("two\n");
	}
	if (i == 3)
		exit(0);
	i++;
}
