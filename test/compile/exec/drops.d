/* args: -xdroptags -xspecsize=32 -xdynvarsize=1k */
/* Drops are reported by kind, with tags: a full speculation, none free, no space for variables. */
BEGIN { a = speculation(); b = speculation(); }
BEGIN { speculate(a); printf("first\n"); trace(1LL); }
BEGIN { speculate(a); printf("second\n"); trace(2LL); }
BEGIN { commit(a); }
BEGIN
{
	x[1] = 1; x[2] = 1; x[3] = 1; x[4] = 1; x[5] = 1; x[6] = 1; x[7] = 1; x[8] = 1; x[9] = 1;
	x[10] = 1; x[11] = 1; x[12] = 1; x[13] = 1; x[14] = 1; x[15] = 1; x[16] = 1; x[17] = 1;
	x[18] = 1; x[19] = 1; x[20] = 1; x[21] = 1; x[22] = 1; x[23] = 1;
}
BEGIN { trace(*(int *)8); }
ERROR { trace(*(int *)8); }
BEGIN { exit(0); }
