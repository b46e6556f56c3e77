/* SPDX-License-Identifier: MIT */
dtrace:helper:ustack:
{
	@a;
}
