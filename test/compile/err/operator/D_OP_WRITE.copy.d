int a[3], *p;
BEGIN { p = a; }
BEGIN { p[0] = 7; }
