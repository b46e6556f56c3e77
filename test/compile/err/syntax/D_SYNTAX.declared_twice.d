/* SPDX-License-Identifier: MIT */
int x y;

BEGIN
{
}
