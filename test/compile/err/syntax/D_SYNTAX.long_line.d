/* SPDX-License-Identifier: MIT */
BEGIN
{
	printf("012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789", x +);	trace("abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij");
}
