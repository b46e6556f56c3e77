/* SPDX-License-Identifier: MIT */
int f()();

BEGIN
{
}
