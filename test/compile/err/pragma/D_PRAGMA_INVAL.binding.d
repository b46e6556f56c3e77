#pragma D binding "1.6.9" x
int x;
BEGIN { exit(0); }
