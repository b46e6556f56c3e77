/* SPDX-License-Identifier: MIT */
#pragma D optoin quiet

BEGIN
{
}
