/* args: -xbtfpath=TYPES -xnolibs */
BEGIN { trace(`availrmem); }
