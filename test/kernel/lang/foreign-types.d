/* SPDX-License-Identifier: MIT */
/* @@needs: types */
/* Types of other kernels stand for Linux's own. */
#pragma D option quiet

BEGIN
{
	printf("%d %d\n", sizeof (uio_t) == sizeof (struct iov_iter), sizeof (zone_t) == sizeof (struct pid_namespace));
	printf("%d %d\n", sizeof (znode_t) == sizeof (struct inode), sizeof (rnode_t) == sizeof (struct inode));
	printf("%d %d\n", sizeof (vattr_t) == sizeof (struct kstat), sizeof (seg_t) == sizeof (struct vm_area_struct));
	printf("%d %d %d %d %d\n", sizeof (k_sigset_t), sizeof (register_t), sizeof (greg_t), sizeof (vm_offset_t),
	       sizeof (vm_size_t));
	printf("%d\n", (register_t)-1 < 0 && (vm_offset_t)-1 > 0);
	exit(0);
}
