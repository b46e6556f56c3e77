/* args: -e -v */
/* The least stability of what descriptions and statements name. */
#pragma D attributes Evolving/Evolving/ISA x
dtrace:::BEGIN
/probemod == ""/
{
	x = pid;
}
