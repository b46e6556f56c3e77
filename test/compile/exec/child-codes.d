/* SPDX-License-Identifier: MIT */
BEGIN
{
	printf("%d %d %d\n", CLD_EXITED, CLD_KILLED, CLD_DUMPED);
	printf("%d %d %d\n", CLD_TRAPPED, CLD_STOPPED, CLD_CONTINUED);
	exit(0);
}
