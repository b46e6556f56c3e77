/* SPDX-License-Identifier: MIT */
dtrace:helper:ustack:
{
	this->x = (uint64_t)&`do_work;
	stringof("x");
}
