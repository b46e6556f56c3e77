int x y;
BEGIN
{
	trace(1;
	trace("fine");
	if (pid { trace(1); }
	if (pid) { a = ; trace(2) }
	trace(3) trace(4);
}

BEGIN /pid ==/ { trace("not looked at: "); }

END
{
	b = (2;
}
