/* SPDX-License-Identifier: MIT */
BEGIN
{
	@calls = count();
	printa(@call);
}
