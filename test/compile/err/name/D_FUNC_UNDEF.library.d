/* args: -L ../../lib */
BEGIN
{
	trace(new_pair[0].label);
}
