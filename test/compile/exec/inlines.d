/* Inlines, translators, enumerators, typedefs. */
enum color { RED, GREEN = 5, BLUE };
typedef unsigned char byte_t;
typedef struct pair { int a; byte_t b[2]; } pair_t;
typedef struct view { int sum; string name; } view_t;
inline int twice[int n] = n + n;
inline int larger[int a, int b] = a > b ? a : b;
inline string who = execname;
inline int answer = 6 * 7;
inline pid_t me = pid;

translator view_t < struct pair *p > {
	sum = p->a + p->b[1];
	name = p->a > 1 ? "many" : "few";
};

BEGIN
{
	i = 3;
	printf("%d %d %d\n", twice[i], twice[twice[i] + 1], larger[twice[i], answer]);
	printf("%s %d %d\n", who, me, answer);
	printf("%d %d %d %d\n", RED, GREEN, BLUE, (enum color)BLUE);
	p = (pair_t *)alloca(sizeof(pair_t));
	p->a = 40; p->b[1] = 255;
	printf("%d %s\n", xlate <view_t> (p).sum, xlate <view_t> (p).name);
	printf("%d\n", xlate <view_t *> (p)->sum);
	printf("%d %d\n", (byte_t)300, sizeof(pair_t));
	exit(0);
}
