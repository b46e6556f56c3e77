/* args: -L libraries/broken */
BEGIN { exit(0); }
