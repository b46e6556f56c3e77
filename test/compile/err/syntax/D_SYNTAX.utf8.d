/* SPDX-License-Identifier: MIT */
BEGIN
{
	trace("äöü 中文 é", );
}
