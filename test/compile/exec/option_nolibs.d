/* args: -xnolibs */
BEGIN { EINTR = 5; trace(EINTR); exit(0); }
