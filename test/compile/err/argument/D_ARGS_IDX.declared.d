/* args: -Z */
provider simple { probe saw__line(int, char); };
simple*:::saw-line
{
	trace(args[2]);
}
