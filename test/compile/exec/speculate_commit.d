/* SPDX-License-Identifier: MIT */
/* commit() may follow speculate() in a clause, also behind what that records: all of the buffer is printed, this too. */
BEGIN
{
	s = speculation();
}
BEGIN
{
	speculate(s);
	printf("first\n");
}
BEGIN
{
	speculate(s);
	printf("second\n");
	commit(s);
}
BEGIN
{
	exit(0);
}
