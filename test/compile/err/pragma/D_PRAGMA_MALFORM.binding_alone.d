/* SPDX-License-Identifier: MIT */
#pragma D binding "1.0"

BEGIN
{
}
