/* args: -e -v -Z */
provider mine {
	probe one(int);
};
#pragma D attributes Stable/Stable/Common provider mine provider
#pragma D attributes Evolving/Stable/Common provider mine name
#pragma D attributes Private/Private/Group provider mine args
mine:::one
{
	trace(args[0]);
}
mine*:::one
{
	trace(1);
}
