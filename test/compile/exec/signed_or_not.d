/* SPDX-License-Identifier: MIT */
/* %d and %i print integers signed or unsigned as their types are, and aggregated values signed. */
BEGIN
{
	printf("%d %d %d %d\n", (int8_t)-1, (int16_t)-1, (int32_t)-1, (int64_t)-1);
	printf("%d %d %d %d\n", (uint8_t)-1, (uint16_t)-1, (uint32_t)-1, (uint64_t)-1);
	printf("%i|%22d|%-12d|\n", 0xffffffff, 0xffffffffffffffff, (uint32_t)-2);
	@key[(uint64_t)-1] = sum(-3);
	printa("%d %@d\n", @key);
	exit(0);
}
