int *p;
self int a[3];
BEGIN { p = self->a; }
BEGIN { p[0] = 7; }
