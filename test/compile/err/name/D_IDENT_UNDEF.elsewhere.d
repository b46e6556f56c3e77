/* The location is the one that #line tells. */
#line 100 "elsewhere.d"
BEGIN
{
	x = nothing;
}
