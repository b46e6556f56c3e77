#pragma D option linktype=coff
BEGIN { exit(0); }
