/* args: -e -xtree=3 */
/* Trees of expressions, as written and as checked. */
int x;
BEGIN
/pid == 1/
{
	x = 1 + strlen("abc") * x++;
	@a[execname] = sum(x > 2 ? x : -x);
}
