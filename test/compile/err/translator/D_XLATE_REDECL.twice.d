struct in { int a; };
typedef struct out { int b; } out_t;
translator out_t < struct in *p > { b = 1; };
translator out_t < struct in *p > { b = 2; };
