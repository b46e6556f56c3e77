/* args: -L ../../lib */
BEGIN
{
	trace(hen);
}
