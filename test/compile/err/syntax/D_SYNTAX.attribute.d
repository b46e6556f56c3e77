/* SPDX-License-Identifier: MIT */
int x __attribute__((aligned(8);

BEGIN
{
}
