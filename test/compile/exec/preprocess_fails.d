/* args: -C -xcppargs=-fno-diagnostics-show-caret */
#ifdef UNFINISHED
BEGIN { exit(0); }
