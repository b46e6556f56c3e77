/* SPDX-License-Identifier: MIT */
typedef int row_t[3];
row_t f(void);

BEGIN
{
}
