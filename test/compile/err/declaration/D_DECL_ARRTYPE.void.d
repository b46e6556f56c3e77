void *p;
struct s { void a[4]; };
