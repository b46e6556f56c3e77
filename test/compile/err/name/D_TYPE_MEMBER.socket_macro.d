/* args: -xbtfpath=TYPES -xnolibs */
/* The kernel's sources have macros for what all sockets have. */
BEGIN
{
	trace(((struct inet_sock *)arg0)->inet_dport);
}
