/* SPDX-License-Identifier: MIT */
/* only_main.c - a program without probes of its own. */
int PART(int n);

int main(void)
{
	return PART(0);
}
