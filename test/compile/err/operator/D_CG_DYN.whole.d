struct in { int a; };
typedef struct out { int b; } out_t;
translator out_t < struct in *p > { b = 1; };
struct in *v;
out_t *o;
BEGIN
{
	o = xlate <out_t *> (v);
}
