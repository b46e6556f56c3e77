/* SPDX-License-Identifier: MIT */
BEGIN
{
	self->started = 1;
	this->end = started;
}
