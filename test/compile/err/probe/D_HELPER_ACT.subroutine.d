dtrace:helper:ustack:
{
	this->n = rand();
}
