/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
/* Structures of C programs, of which the kernel has one under another name, or with another layout. */
struct timespec *sleep;

BEGIN
{
	sleep = (struct timespec *)copyin(arg0, sizeof (struct timespec));
	trace(sleep->tv_nsec);
	trace(((timespec_t *)copyin(arg0, sizeof (timespec_t)))->tv_sec);
	trace(((struct user_msghdr *)copyin(arg1, sizeof (struct user_msghdr)))->msg_flags);
	trace(((struct msghdr *)arg1)->msg_flags);
}
