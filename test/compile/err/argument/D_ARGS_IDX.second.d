/* args: -Z */
foo*:::bar, BEGIN { trace(args[1]); }
