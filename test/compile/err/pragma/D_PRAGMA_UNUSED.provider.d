#pragma D attributes Stable/Stable/Common provider nosuch args
BEGIN { exit(0); }
