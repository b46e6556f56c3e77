/* SPDX-License-Identifier: MIT */
int x;
typedef int x;

BEGIN
{
}
