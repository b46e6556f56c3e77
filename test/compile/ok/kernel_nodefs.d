/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
/* A symbol that is not there, with -x knodefs. */
#pragma D option knodefs
BEGIN
{
	trace(`nowhere);
}
