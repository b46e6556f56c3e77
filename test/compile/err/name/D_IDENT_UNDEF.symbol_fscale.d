/* args: -xbtfpath=TYPES -xnolibs */
BEGIN { this->fscale = `fscale; }
