/* SPDX-License-Identifier: MIT */
/* Nothing is printed of aggregations without -O; a record may hold nothing. */
BEGIN
{
	@ = count();
	clear(@);
}

BEGIN
{
	exit(0);
}
