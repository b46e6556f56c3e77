/* SPDX-License-Identifier: MIT */
/* @@worlds: kernel types and symbols of the kernel */
/*
 * Types and symbols of modules, where the kernel's drivers are modules: found by their module, and
 * without it.
 *
 * @@args: -q
 * @@kernels: 6.1
 * @@stdout: 1 1 1
 * @@stdout: virtio_ring`vring_interrupt
 * @@stdout: 1
 */
BEGIN
{
	printf("%d %d %d\n", sizeof (struct vring_virtqueue) > sizeof (struct virtqueue),
	    sizeof (struct virtio_ring`vring_virtqueue) == sizeof (struct vring_virtqueue),
	    sizeof (struct virtio_ring`task_struct) == sizeof (struct vmlinux`task_struct));
	printf("%a\n", (uint64_t)&virtio_ring`vring_interrupt);
	printf("%d", &`vring_interrupt == &virtio_ring`vring_interrupt);
	exit(0);
}
