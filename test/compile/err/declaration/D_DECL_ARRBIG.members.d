/* SPDX-License-Identifier: MIT */
struct s {
	char a[16777216];
	char b[16777216];
	char c;
};

BEGIN
{
}
