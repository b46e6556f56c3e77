#pragma D attributes Stable/Stable/Common curthread
BEGIN { exit(0); }
