#pragma D depends_on file nosuch.d
BEGIN { exit(0); }
