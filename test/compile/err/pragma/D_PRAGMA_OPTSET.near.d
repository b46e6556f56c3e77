/* SPDX-License-Identifier: MIT */
#pragma D option bufsiz=4m

BEGIN
{
}
