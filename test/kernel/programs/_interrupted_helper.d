/* SPDX-License-Identifier: MIT */
/* A helper that names all frames. */
dtrace:helper:ustack:
{
	this->name = strjoin("frame ", lltostr(arg0));
}

dtrace:helper:ustack:
{
	strjoin(this->name, this->name);
}
