/* args: -L libraries/chain */
#pragma D depends_on library a.d
BEGIN { printf("%d %d %d\n", a, b, c); d = 5; exit(0); }
