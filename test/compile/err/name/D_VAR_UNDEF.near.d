/* SPDX-License-Identifier: MIT */
BEGIN
{
	this->start = 1;
	trace(self->start);
}
