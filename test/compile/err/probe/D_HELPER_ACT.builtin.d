dtrace:helper:ustack:
{
	this->when = timestamp;
}
