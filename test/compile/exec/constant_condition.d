/* Of a ?: whose condition is a constant only one value is compiled, so that a statement can depend on an inline. */
enum { NONE, SOME };
inline int ON = 1;
inline int OFF = !ON;
inline int NOW = pid > 0;
BEGIN { ON ? printf("on\n") : 1; }
BEGIN { OFF ? printf("not this\n") : 1; }
BEGIN { SOME == 1 && ON ? @a = count() : 1; OFF ? @b = nothing() : 1; }
BEGIN { OFF || -ON == (int)1 ? 1 : printf("third\n"); }
BEGIN { x = ON ? "text" : 0; printf("%s %d %d\n", x, NOW ? 5 : 6, (OFF ? missing : 7) + 1); }
BEGIN { printa("%@d\n", @a); exit(ON ? 0 : 1); }
