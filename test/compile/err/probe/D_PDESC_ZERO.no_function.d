dtrace::main:END
{
	trace(1);
}
