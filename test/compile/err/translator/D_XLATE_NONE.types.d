struct in { int a; };
typedef struct out { int b; } out_t;
struct in *v;
BEGIN
{
	x = xlate <out_t> (v).b;
}
