/* SPDX-License-Identifier: MIT */
/* A program that has probes only in its library. */
extern void part(int value);

int main(void)
{
	part(1);
	return 0;
}
