/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
inlin int five = 5;

BEGIN
{
}
