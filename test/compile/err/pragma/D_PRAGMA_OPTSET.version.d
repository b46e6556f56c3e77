#pragma D option version=1.0
#pragma D option version=1.2
BEGIN { exit(0); }
