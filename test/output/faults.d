/* args: -w */
/* SPDX-License-Identifier: MIT */
/* Faults are records, before the record of the firing if the library found them. */
BEGIN
{
	trace(*(int *)0);
}

BEGIN
/1 / ((int)pid - 1234) == 3/
{
	trace(2);
}

ERROR
{
	trace("in ERROR");
}

BEGIN
{
	trace(3);
	freopen("/nowhere/at/all");
	system("echo \"<%s>\"; exit 3", execname);
	ftruncate();
	exit(0);
}
