/* args: -L libraries/chain */
#pragma D depends_on library e.d
BEGIN { exit(0); }
