/* args: -Z -xnolibs */
/* A translator's input is no argument of a probe, though no probe is known here. */
struct in { int x; };
struct out { int y; };
translator struct out < struct in *i > { y = i->x; };
foo*:::bar { trace(xlate <struct out> ((struct in *)arg0).y); }
