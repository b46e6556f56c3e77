/* args: -e -v */
BEGIN
{
	trace(curthread == NULL);
}
