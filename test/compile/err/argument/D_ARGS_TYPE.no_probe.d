/* args: -Z */
foo*:::bar, other:::
{
	trace(args[0]);
	trace(args[1]->x);
}
