#pragma D option arch=sparc
BEGIN { exit(0); }
