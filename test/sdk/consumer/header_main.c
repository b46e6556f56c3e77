/* SPDX-License-Identifier: MIT */
/* header_main.c - a program with the header and drti only. */
int header_part(int n);

int main(void)
{
	return header_part(0);
}
