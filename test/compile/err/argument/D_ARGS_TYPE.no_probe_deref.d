/* args: -Z */
foo*:::bar { trace(*args[1]); }
