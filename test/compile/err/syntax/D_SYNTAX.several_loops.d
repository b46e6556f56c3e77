/* The semicolons of a loop's head end no statement. */
BEGIN
{
	for (i = 0; i < 3; i++)
		trace(i);
	trace(;
	x = (3;
	while (1);
	y = ;
}
