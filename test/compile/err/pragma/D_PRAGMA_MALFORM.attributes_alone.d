/* SPDX-License-Identifier: MIT */
#pragma D attributes Stable/Stable/Common

BEGIN
{
}
