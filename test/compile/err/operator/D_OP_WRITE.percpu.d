/* args: -xbtfpath=TYPES -xnolibs */
extern int `percpu;
BEGIN { `percpu = 1; }
