// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fsinfo.c - the fsinfo provider: operations of file systems. args[0] is the file, args[1] the
 * bytes that are read or written.
 *
 * An operation has several ways in, but one function that all calls of it pass. Where there is no
 * such function, or where it does not know the file or the bytes, the system calls are hooked.
 * Arguments are read by loads that may fail, since no compiler compares the handlers with the
 * functions' prototypes.
 */
#include <linux/aio.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/splice.h>
#include <linux/stat.h>
#include <linux/xattr.h>

#include "stable.h"
#include "target.h"

/*
 * The file of an operation, as io.d declares it too: an open file, else a path, a directory entry,
 * or an inode, of which the others are 0.
 */
struct dtrace_fs {
	unsigned long file, path, dentry, inode;
};

/* ---- firing ---- */

static notrace void fsinfo_file(const struct stable_trigger *t, struct pt_regs *regs,
				unsigned long file, long bytes)
{
	const struct dtrace_fs fs = {.file = file, .path = file + offsetof(struct file, f_path)};

	stable_fire(t, regs, file, bytes > 0 ? bytes : 0, (uintptr_t)&fs);
}

static notrace void fsinfo_dentry(const struct stable_trigger *t, struct pt_regs *regs,
				  unsigned long dentry)
{
	const struct dtrace_fs fs = {.dentry = dentry};

	stable_fire(t, regs, dentry, 0, (uintptr_t)&fs);
}

static notrace void fsinfo_inode(const struct stable_trigger *t, struct pt_regs *regs,
				 unsigned long inode)
{
	const struct dtrace_fs fs = {.inode = inode};

	stable_fire(t, regs, inode, 0, (uintptr_t)&fs);
}

/* Return the word of the kernel at an address; 0 if it cannot be read. */
static notrace unsigned long fsinfo_word(unsigned long address)
{
	unsigned long word;

	return target_load_kernel(&word, address, sizeof(word)) ? 0 : word;
}

/* ---- entries of functions: the file or the like is an argument ---- */

static notrace void fsinfo_file_1st(const struct stable_trigger *t, struct pt_regs *regs)
{
	if (regs->di)
		fsinfo_file(t, regs, regs->di, 0);
}

static notrace void fsinfo_file_2nd(const struct stable_trigger *t, struct pt_regs *regs)
{
	fsinfo_file(t, regs, regs->si, 0);
}

static notrace void fsinfo_dentry_1st(const struct stable_trigger *t, struct pt_regs *regs)
{
	fsinfo_dentry(t, regs, regs->di);
}

static notrace void fsinfo_dentry_2nd(const struct stable_trigger *t, struct pt_regs *regs)
{
	fsinfo_dentry(t, regs, regs->si);
}

static notrace void fsinfo_dentry_3rd(const struct stable_trigger *t, struct pt_regs *regs)
{
	fsinfo_dentry(t, regs, regs->dx);
}

static notrace void fsinfo_dentry_4th(const struct stable_trigger *t, struct pt_regs *regs)
{
	fsinfo_dentry(t, regs, regs->cx);
}

static notrace void fsinfo_inode_1st(const struct stable_trigger *t, struct pt_regs *regs)
{
	fsinfo_inode(t, regs, regs->di);
}

/* Fire at vfs_getattr_nosec(path, ...). */
static notrace void fsinfo_getattr(const struct stable_trigger *t, struct pt_regs *regs)
{
	const struct dtrace_fs fs = {.path = regs->di};

	stable_fire(t, regs, regs->di, 0, (uintptr_t)&fs);
}

/* Fire at inode_permission(_, inode, mask) if a call, and not the way to a file, asks. */
static notrace void fsinfo_access(const struct stable_trigger *t, struct pt_regs *regs)
{
	if (regs->dx & (MAY_ACCESS | MAY_OPEN | MAY_CHDIR))
		fsinfo_inode(t, regs, regs->si);
}

/* Fire at notify_change(_, dentry, attributes, _), if the attributes have a size, or not. */
static notrace void fsinfo_change(const struct stable_trigger *t, struct pt_regs *regs, bool size)
{
	unsigned int valid;

	if (!target_load_kernel(&valid, regs->dx + offsetof(struct iattr, ia_valid),
				sizeof(valid)) &&
	    !!(valid & ATTR_SIZE) == size)
		fsinfo_dentry(t, regs, regs->si);
}

static notrace void fsinfo_setattr(const struct stable_trigger *t, struct pt_regs *regs)
{
	fsinfo_change(t, regs, false);
}

static notrace void fsinfo_truncate(const struct stable_trigger *t, struct pt_regs *regs)
{
	fsinfo_change(t, regs, true);
}

/* Fire at vfs_rename(data). */
static notrace void fsinfo_rename(const struct stable_trigger *t, struct pt_regs *regs)
{
	fsinfo_dentry(t, regs, fsinfo_word(regs->di + offsetof(struct renamedata, old_dentry)));
}

/* Fire at do_fcntl(fd, command, argument, file). */
static notrace void fsinfo_setfl(const struct stable_trigger *t, struct pt_regs *regs)
{
	if ((unsigned int)regs->si == F_SETFL)
		fsinfo_file(t, regs, regs->cx, 0);
}

/* Fire at do_writepages(mapping, ...). */
static notrace void fsinfo_putpage(const struct stable_trigger *t, struct pt_regs *regs)
{
	fsinfo_inode(t, regs, fsinfo_word(regs->di + offsetof(struct address_space, host)));
}

/* Fire at vfs_getxattr(_, dentry, name, ...) and the like, if the name is that of an ACL. */
static notrace void fsinfo_secattr(const struct stable_trigger *t, struct pt_regs *regs)
{
	static const char acl[] = XATTR_SYSTEM_PREFIX "posix_acl_";
	char name[sizeof(acl) - 1];

	if (!target_load_kernel(name, regs->dx, sizeof(name)) && !memcmp(name, acl, sizeof(name)))
		fsinfo_dentry(t, regs, regs->si);
}

/* ---- page faults ---- */

/*
 * Fire after __do_fault(fault): a page of a mapping that is not anonymous was missing. If the
 * kernel has waited for the page without a lock, it calls the function again.
 */
static notrace void fsinfo_getpage(const struct stable_trigger *t, struct pt_regs *regs,
				   unsigned long fault)
{
	unsigned long mapping, file;

	if ((__force vm_fault_t)regs->ax & VM_FAULT_RETRY)
		return;
	mapping = fsinfo_word(fault + offsetof(struct vm_fault, vma));
	file = fsinfo_word(mapping + offsetof(struct vm_area_struct, vm_file));
	if (file)
		fsinfo_file(t, regs, file, 0);
}

/*
 * Fire after filemap_map_pages(fault, ...), if the page was in memory, and has been mapped. Else
 * the kernel calls __do_fault().
 */
static notrace void fsinfo_getpages(const struct stable_trigger *t, struct pt_regs *regs,
				    unsigned long fault)
{
	if ((unsigned int)regs->ax)
		fsinfo_getpage(t, regs, fault);
}

/* ---- open files ---- */

/* Return whether a file is open, and not only its path. */
static notrace bool fsinfo_is_open(unsigned long file)
{
	return (stable_file_mode(file) & (FMODE_OPENED | FMODE_PATH)) == FMODE_OPENED;
}

/* Fire if do_dentry_open(file, ...) has opened the file. */
static notrace void fsinfo_opened(const struct stable_trigger *t, struct pt_regs *regs,
				  unsigned long file)
{
	if (fsinfo_is_open(file))
		fsinfo_file(t, regs, file, 0);
}

/* Fire if the open file is new. */
static notrace void fsinfo_created(const struct stable_trigger *t, struct pt_regs *regs,
				   unsigned long file)
{
	if (fsinfo_is_open(file) && stable_file_may(file, FMODE_CREATED))
		fsinfo_file(t, regs, file, 0);
}

/* Fire at __fput(file): the last descriptor or other user of an open file goes. */
static notrace void fsinfo_close(const struct stable_trigger *t, struct pt_regs *regs)
{
	if (fsinfo_is_open(regs->di))
		fsinfo_file(t, regs, regs->di, 0);
}

/* ---- system calls of a descriptor ---- */

/*
 * Return an argument of a system call from its registers: the first, second or third, by number.
 * The name of the function tells which registers the program has used.
 */
static notrace unsigned long fsinfo_call_arg(const struct stable_trigger *t, unsigned long call,
					     unsigned int number)
{
	static const unsigned short x64[] = {offsetof(struct pt_regs, di),
					     offsetof(struct pt_regs, si),
					     offsetof(struct pt_regs, dx)};
	static const unsigned short ia32[] = {offsetof(struct pt_regs, bx),
					      offsetof(struct pt_regs, cx),
					      offsetof(struct pt_regs, dx)};

	return fsinfo_word(call + (t->symbol[2] == 'i' ? ia32 : x64)[number]);
}

/* Return the open file of the descriptor that such an argument is; 0 if there is none. */
static notrace unsigned long fsinfo_call_file(const struct stable_trigger *t, unsigned long call,
					      unsigned int number)
{
	unsigned long file = target_getf((u32)fsinfo_call_arg(t, call, number));

	return file && fsinfo_is_open(file) ? file : 0;
}

static notrace void fsinfo_call(const struct stable_trigger *t, struct pt_regs *regs)
{
	unsigned long file = fsinfo_call_file(t, regs->di, 0);

	if (file)
		fsinfo_file(t, regs, file, 0);
}

static notrace void fsinfo_seek(const struct stable_trigger *t, struct pt_regs *regs)
{
	unsigned long file = fsinfo_call_file(t, regs->di, 0);

	if (file && stable_file_may(file, FMODE_LSEEK))
		fsinfo_file(t, regs, file, 0);
}

/* Fire after getdents(descriptor, ...), unless the file is no directory. */
static notrace void fsinfo_readdir(const struct stable_trigger *t, struct pt_regs *regs,
				   unsigned long call)
{
	unsigned long file = fsinfo_call_file(t, call, 0);

	if (file && (long)regs->ax != -ENOTDIR)
		fsinfo_file(t, regs, file, (long)regs->ax);
}

/* Return whether a file is a pipe, to and from which data moves without a file system. */
static notrace bool fsinfo_is_pipe(unsigned long file)
{
	unsigned long inode = fsinfo_word(file + offsetof(struct file, f_inode));
	umode_t mode;

	return !target_load_kernel(&mode, inode + offsetof(struct inode, i_mode), sizeof(mode)) &&
	       S_ISFIFO(mode);
}

/*
 * Fire after a call that moves bytes from file to file, for the file of a descriptor. least: what
 * the call must have moved.
 */
static notrace void fsinfo_moved(const struct stable_trigger *t, struct pt_regs *regs,
				 unsigned long call, unsigned int number, long least)
{
	unsigned long file;

	if ((long)regs->ax < least)
		return;
	file = fsinfo_call_file(t, call, number);
	if (file && !fsinfo_is_pipe(file))
		fsinfo_file(t, regs, file, (long)regs->ax);
}

/* Fire after sendfile(to, from, ...). */
static notrace void fsinfo_sent_read(const struct stable_trigger *t, struct pt_regs *regs,
				     unsigned long call)
{
	fsinfo_moved(t, regs, call, 1, 0);
}

static notrace void fsinfo_sent_write(const struct stable_trigger *t, struct pt_regs *regs,
				      unsigned long call)
{
	fsinfo_moved(t, regs, call, 0, 1);
}

/* Fire after splice(from, _, to, ...) and copy_file_range(from, _, to, ...). */
static notrace void fsinfo_copied_read(const struct stable_trigger *t, struct pt_regs *regs,
				       unsigned long call)
{
	fsinfo_moved(t, regs, call, 0, 0);
}

static notrace void fsinfo_copied_write(const struct stable_trigger *t, struct pt_regs *regs,
					unsigned long call)
{
	fsinfo_moved(t, regs, call, 2, 1);
}

/* ---- functions that read and write a file ---- */

/* Fire after vfs_read(file, ...) and the like, unless the file may not be read. */
static notrace void fsinfo_read(const struct stable_trigger *t, struct pt_regs *regs,
				unsigned long file)
{
	if ((long)regs->ax >= 0 || stable_file_may(file, FMODE_READ | FMODE_CAN_READ))
		fsinfo_file(t, regs, file, (long)regs->ax);
}

/* Fire after vfs_write(file, ...) and the like, unless the file may not be written. */
static notrace void fsinfo_written(const struct stable_trigger *t, struct pt_regs *regs,
				   unsigned long file)
{
	if ((long)regs->ax >= 0 || stable_file_may(file, FMODE_WRITE | FMODE_CAN_WRITE))
		fsinfo_file(t, regs, file, (long)regs->ax);
}

/*
 * Fire after vfs_iter_write(file, ...). Some kernels write by it what a system call moves, which
 * fires by itself.
 */
static notrace void fsinfo_iter_written(const struct stable_trigger *t, struct pt_regs *regs,
					unsigned long file)
{
	if (regs->ip - (unsigned long)iter_file_splice_write >= PAGE_SIZE)
		fsinfo_written(t, regs, file);
}

/* Fire at aio_complete_rw(kiocb, bytes): a transfer of io_submit() has ended. */
static notrace void fsinfo_aio(const struct stable_trigger *t, struct pt_regs *regs, bool write)
{
	unsigned long file = fsinfo_word(regs->di + offsetof(struct kiocb, ki_filp));
	int flags;

	if (!target_load_kernel(&flags, regs->di + offsetof(struct kiocb, ki_flags),
				sizeof(flags)) &&
	    !!(flags & IOCB_WRITE) == write)
		fsinfo_file(t, regs, file, (long)regs->si);
}

static notrace void fsinfo_aio_read(const struct stable_trigger *t, struct pt_regs *regs)
{
	fsinfo_aio(t, regs, false);
}

static notrace void fsinfo_aio_write(const struct stable_trigger *t, struct pt_regs *regs)
{
	fsinfo_aio(t, regs, true);
}

/* ---- tables ---- */

#define FSINFO(name_)                                              \
	{                                                          \
		.name = name_, .args = {                           \
			{"struct dtrace_fs *", "fileinfo_t *", 2}, \
			{"int", .native = 1}                       \
		}                                                  \
	}

static struct stable_probe fsinfo_probes[] = {
	FSINFO("access"),   FSINFO("close"),	  FSINFO("create"),   FSINFO("frlock"),
	FSINFO("fsync"),    FSINFO("getattr"),	  FSINFO("getpage"),  FSINFO("getsecattr"),
	FSINFO("inactive"), FSINFO("ioctl"),	  FSINFO("link"),     FSINFO("lookup"),
	FSINFO("map"),	    FSINFO("mkdir"),	  FSINFO("open"),     FSINFO("putpage"),
	FSINFO("read"),	    FSINFO("readdir"),	  FSINFO("readlink"), FSINFO("remove"),
	FSINFO("rename"),   FSINFO("rmdir"),	  FSINFO("seek"),     FSINFO("setattr"),
	FSINFO("setfl"),    FSINFO("setsecattr"), FSINFO("space"),    FSINFO("symlink"),
	FSINFO("write"),
};

static struct stable_trigger fsinfo_triggers[] = {
	STABLE_ENTERED("access", "inode_permission", fsinfo_access),
	STABLE_ENTERED("close", "__fput", fsinfo_close),
	STABLE_RETURNED("create", "do_dentry_open", fsinfo_created),
	STABLE_ENTERED("create", "vfs_create", fsinfo_dentry_3rd),
	STABLE_ENTERED("create", "vfs_mknod", fsinfo_dentry_3rd),
	STABLE_ENTERED("frlock", "fcntl_getlk", fsinfo_file_1st),
	STABLE_ENTERED("frlock", "fcntl_setlk", fsinfo_file_2nd),
	STABLE_ENTERED("frlock", "__x64_sys_flock", fsinfo_call),
	STABLE_ENTERED("frlock", "__ia32_sys_flock", fsinfo_call),
	STABLE_ENTERED("fsync", "__x64_sys_fsync", fsinfo_call),
	STABLE_ENTERED("fsync", "__x64_sys_fdatasync", fsinfo_call),
	STABLE_ENTERED("fsync", "__ia32_sys_fsync", fsinfo_call),
	STABLE_ENTERED("fsync", "__ia32_sys_fdatasync", fsinfo_call),
	STABLE_ENTERED("getattr", "vfs_getattr_nosec", fsinfo_getattr),
	STABLE_RETURNED("getpage", "__do_fault", fsinfo_getpage),
	STABLE_RETURNED("getpage", "filemap_map_pages", fsinfo_getpages),
	STABLE_ENTERED("getsecattr", "vfs_getxattr", fsinfo_secattr),
	STABLE_ENTERED("getsecattr", "vfs_get_acl", fsinfo_dentry_2nd),
	STABLE_ENTERED("inactive", "evict", fsinfo_inode_1st),
	STABLE_ENTERED("ioctl", "__x64_sys_ioctl", fsinfo_call),
	STABLE_ENTERED("ioctl", "__ia32_compat_sys_ioctl", fsinfo_call),
	STABLE_ENTERED("link", "vfs_link", fsinfo_dentry_4th),
	STABLE_ENTERED("lookup", "d_splice_alias", fsinfo_dentry_2nd),
	STABLE_ENTERED("lookup", "d_add", fsinfo_dentry_1st),
	STABLE_ENTERED("map", "mmap_region", fsinfo_file_1st),
	STABLE_ENTERED("mkdir", "vfs_mkdir", fsinfo_dentry_3rd),
	STABLE_RETURNED("open", "do_dentry_open", fsinfo_opened),
	STABLE_ENTERED("putpage", "do_writepages", fsinfo_putpage),
	STABLE_RETURNED("read", "vfs_read", fsinfo_read),
	STABLE_RETURNED("read", "vfs_readv", fsinfo_read),
	STABLE_RETURNED("read", "vfs_iter_read", fsinfo_read),
	STABLE_RETURNED("read", "vfs_iocb_iter_read", fsinfo_read),
	STABLE_RETURNED("read", "__kernel_read", fsinfo_read),
	STABLE_ENTERED("read", "aio_complete_rw", fsinfo_aio_read),
	STABLE_RETURNED("read", "__x64_sys_sendfile64", fsinfo_sent_read),
	STABLE_RETURNED("read", "__ia32_sys_sendfile64", fsinfo_sent_read),
	STABLE_RETURNED("read", "__ia32_compat_sys_sendfile", fsinfo_sent_read),
	STABLE_RETURNED("read", "__x64_sys_splice", fsinfo_copied_read),
	STABLE_RETURNED("read", "__ia32_sys_splice", fsinfo_copied_read),
	STABLE_RETURNED("read", "__x64_sys_copy_file_range", fsinfo_copied_read),
	STABLE_RETURNED("read", "__ia32_sys_copy_file_range", fsinfo_copied_read),
	STABLE_RETURNED("readdir", "__x64_sys_getdents64", fsinfo_readdir),
	STABLE_RETURNED("readdir", "__x64_sys_getdents", fsinfo_readdir),
	STABLE_RETURNED("readdir", "__ia32_sys_getdents64", fsinfo_readdir),
	STABLE_RETURNED("readdir", "__ia32_compat_sys_getdents", fsinfo_readdir),
	STABLE_ENTERED("readlink", "vfs_readlink", fsinfo_dentry_1st),
	STABLE_ENTERED("remove", "vfs_unlink", fsinfo_dentry_3rd),
	STABLE_ENTERED("rename", "vfs_rename", fsinfo_rename),
	STABLE_ENTERED("rmdir", "vfs_rmdir", fsinfo_dentry_3rd),
	STABLE_ENTERED("seek", "__x64_sys_lseek", fsinfo_seek),
	STABLE_ENTERED("seek", "__ia32_compat_sys_lseek", fsinfo_seek),
	STABLE_ENTERED("seek", "__ia32_sys_llseek", fsinfo_seek),
	STABLE_ENTERED("setattr", "notify_change", fsinfo_setattr),
	STABLE_ENTERED("setfl", "do_fcntl", fsinfo_setfl),
	STABLE_ENTERED("setsecattr", "vfs_setxattr", fsinfo_secattr),
	STABLE_ENTERED("setsecattr", "vfs_removexattr", fsinfo_secattr),
	STABLE_ENTERED("setsecattr", "vfs_set_acl", fsinfo_dentry_2nd),
	STABLE_ENTERED("setsecattr", "vfs_remove_acl", fsinfo_dentry_2nd),
	STABLE_ENTERED("space", "vfs_fallocate", fsinfo_file_1st),
	STABLE_ENTERED("space", "notify_change", fsinfo_truncate),
	STABLE_ENTERED("symlink", "vfs_symlink", fsinfo_dentry_3rd),
	STABLE_RETURNED("write", "vfs_write", fsinfo_written),
	STABLE_RETURNED("write", "vfs_writev", fsinfo_written),
	STABLE_RETURNED("write", "vfs_iter_write", fsinfo_iter_written),
	STABLE_RETURNED("write", "vfs_iocb_iter_write", fsinfo_written),
	STABLE_RETURNED("write", "__kernel_write_iter", fsinfo_written),
	STABLE_ENTERED("write", "aio_complete_rw", fsinfo_aio_write),
	STABLE_RETURNED("write", "__x64_sys_sendfile64", fsinfo_sent_write),
	STABLE_RETURNED("write", "__ia32_sys_sendfile64", fsinfo_sent_write),
	STABLE_RETURNED("write", "__ia32_compat_sys_sendfile", fsinfo_sent_write),
	STABLE_RETURNED("write", "__x64_sys_splice", fsinfo_copied_write),
	STABLE_RETURNED("write", "__ia32_sys_splice", fsinfo_copied_write),
	STABLE_RETURNED("write", "__x64_sys_copy_file_range", fsinfo_copied_write),
	STABLE_RETURNED("write", "__ia32_sys_copy_file_range", fsinfo_copied_write),
};

struct stable_provider fsinfo_provider = {
	.name = "fsinfo",
	.probes = fsinfo_probes,
	.nprobes = ARRAY_SIZE(fsinfo_probes),
	.triggers = fsinfo_triggers,
	.ntriggers = ARRAY_SIZE(fsinfo_triggers),
};
