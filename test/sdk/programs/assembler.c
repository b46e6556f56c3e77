/* SPDX-License-Identifier: MIT */
/* assembler.c - calls the function of systemtap_asm.S, which fires probes. */
void assembled(const int *words);

int main(void)
{
	static const int words[] = {11, -12};

	assembled(words);
	return 0;
}
