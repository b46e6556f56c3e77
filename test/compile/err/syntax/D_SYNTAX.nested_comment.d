/* one /* two */
BEGIN { exit(0); }
