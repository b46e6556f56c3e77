/* Names of types that old scripts use, with their sizes and signs. */
BEGIN
{
	printf("%d %d %d %d\n", (offset_t)-1, (u_offset_t)-1 > 0, (daddr_t)-1, (diskaddr_t)-1 > 0);
	printf("%d %d %d %d\n", sizeof (major_t), sizeof (minor_t), sizeof (pgcnt_t), sizeof (pfn_t));
	printf("%d %d %d %d\n", (quad_t)-1, (u_quad_t)-1 > 0, (intmax_t)-1, (uintmax_t)-1 > 0);
	printf("%d %d %d %d\n", (blksize_t)-1, sizeof (useconds_t), sizeof (pc_t), sizeof (rlim_t));
	exit(0);
}
