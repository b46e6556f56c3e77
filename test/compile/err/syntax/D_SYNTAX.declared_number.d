/* SPDX-License-Identifier: MIT */
int 5;

BEGIN
{
}
