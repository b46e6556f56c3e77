/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
/* A program's own structures have precedence. */
struct timespec { int sec; };
struct msghdr { int msg_flags; };

BEGIN
{
	trace(((struct timespec *)copyin(arg0, sizeof (struct timespec)))->sec);
	trace(((struct msghdr *)copyin(arg1, sizeof (struct msghdr)))->msg_flags);
}
