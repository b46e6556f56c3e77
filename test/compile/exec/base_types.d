/* SPDX-License-Identifier: MIT */
/* Base types of C by their scope, and types of D. */
C`int i;
D`uint8_t u;

BEGIN
{
	i = -1;
	u = 300;
	printf("%d %d %d %d\n", i, u, (C`short)70000, sizeof (C`long) + sizeof (D`pid_t));
	exit(0);
}
