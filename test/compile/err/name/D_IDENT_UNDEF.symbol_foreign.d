/* args: -xbtfpath=TYPES -xnolibs */
BEGIN { trace(`allproc); }
