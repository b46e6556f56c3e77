/* SPDX-License-Identifier: MIT */
struct s {
	int f(int);
};

BEGIN
{
}
