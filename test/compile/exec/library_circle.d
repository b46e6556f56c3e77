/* args: -L libraries/circle */
BEGIN { exit(0); }
