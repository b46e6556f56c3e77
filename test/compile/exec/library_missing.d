/* args: -L libraries/missing */
BEGIN { exit(0); }
