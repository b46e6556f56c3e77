/* SPDX-License-Identifier: MIT */
#pragma D depends_on provider

BEGIN
{
}
