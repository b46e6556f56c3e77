struct in { int a; };
typedef struct out { int b; } out_t;
translator out_t < struct in *p > {
};
struct in *v;
BEGIN
{
	x = xlate <out_t> (v).b;
}
