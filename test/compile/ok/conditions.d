/* Conditions branch; their values are computed only where they are used. */
BEGIN
/pid == 1 || (execname == "x" && !(tid > 3))/
{
	trace(pid && tid);
	trace(pid ^^ tid);
	trace(pid < 3 ? "small" : "large");
}
