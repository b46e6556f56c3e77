/* Conditions branch; their values are made only where they are wanted. */
BEGIN
/pid == 1 || (execname == "x" && !(tid > 3))/
{
	trace(pid && tid);
	trace(pid ^^ tid);
	trace(pid < 3 ? "small" : "large");
}
