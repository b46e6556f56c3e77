/* SPDX-License-Identifier: MIT */
int f()[3];

BEGIN
{
}
