/* args: -L libraries/nodir */
BEGIN { exit(0); }
