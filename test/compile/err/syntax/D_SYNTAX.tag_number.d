/* SPDX-License-Identifier: MIT */
struct 5 *p;

BEGIN
{
}
