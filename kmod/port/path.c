// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * path.c - files and paths of the current process, in probe context.
 *
 * d_path() of the kernel takes locks, which the interrupted code may hold. Here, each word is read
 * by a load that may fail, so that no lock and no reference is needed. A path that changes
 * meanwhile is read again a few times; after that, the result may be mixed.
 */
#include <linux/dcache.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/path.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/uaccess.h>

#include "target.h"

#define PATH_STEPS 512 /* directories and mounts that a path leads through */
#define PATH_TRIES 4

/* The beginning of the kernel's struct mount, which is in no header. */
struct path_mount {
	struct hlist_node hash;
	struct path_mount *parent;
	struct dentry *mountpoint;
	struct vfsmount mnt;
};

struct path_walk {
	char *buf;
	size_t at; /* the text in buf begins here */
	struct dentry *dentry;
	struct vfsmount *mnt;
	struct path root; /* of the process; all zeros if it cannot be read */
};

/* Read *p into to; false: it cannot be read. */
#define path_get_word(to, p) (target_load_kernel(&(to), (uintptr_t)(p), sizeof(to)) == 0)

/* ---- text: written from its end to its beginning ---- */

/*
 * Put n bytes of the kernel's memory before the text; if there is not enough space, their end.
 * Return false if they cannot be read.
 */
static bool path_prepend(struct path_walk *w, const char *s, size_t n)
{
	size_t cut = n > w->at ? n - w->at : 0;

	if (target_load_kernel(w->buf + w->at - (n - cut), (uintptr_t)(s + cut), n - cut))
		return false;
	w->at -= n - cut;
	return true;
}

/* Put a slash and the name of a directory entry before the text. False: it cannot be read. */
static bool path_prepend_name(struct path_walk *w, struct dentry *dentry)
{
	const unsigned char *name;
	u32 len;

	return path_get_word(name, &dentry->d_name.name) &&
	       path_get_word(len, &dentry->d_name.len) && len <= NAME_MAX &&
	       path_prepend(w, (const char *)name, len) && path_prepend(w, "/", 1);
}

/* ---- the way up ---- */

/* Go from the root of a mount to its mount point. False: there is nothing above. */
static bool path_leave_mount(struct path_walk *w)
{
	struct path_mount *m = container_of(w->mnt, struct path_mount, mnt), *parent;
	struct dentry *mountpoint;

	if (!path_get_word(parent, &m->parent) || parent == m ||
	    !path_get_word(mountpoint, &m->mountpoint))
		return false;
	w->dentry = mountpoint;
	w->mnt = &parent->mnt;
	return true;
}

/* Go one step up. False: it was the last. *ok becomes false if memory cannot be read. */
static bool path_step(struct path_walk *w, bool *ok)
{
	struct dentry *root, *parent;

	if (w->dentry == w->root.dentry && w->mnt == w->root.mnt)
		return false;
	*ok = path_get_word(root, &w->mnt->mnt_root) && path_get_word(parent, &w->dentry->d_parent);
	if (!*ok)
		return false;
	if (w->dentry == root)
		return path_leave_mount(w);
	if (parent == w->dentry)
		return false; /* it is in no directory */
	*ok = path_prepend_name(w, w->dentry);
	w->dentry = parent;
	return *ok;
}

/* ---- pipes, sockets and other files without a path ---- */

/* Put KIND:[NUMBER] before the text, for pipes and sockets. kind ends with a colon. */
static bool path_prepend_inode(struct path_walk *w, const char *kind)
{
	struct inode *inode;
	unsigned long number;
	char digit;

	if (!path_get_word(inode, &w->dentry->d_inode) || !path_get_word(number, &inode->i_ino) ||
	    !path_prepend(w, "]", 1))
		return false;
	do {
		digit = (char)('0' + number % 10);
		if (!path_prepend(w, &digit, 1))
			return false;
		number /= 10;
	} while (number);
	return path_prepend(w, "[", 1) && path_prepend(w, kind, strlen(kind));
}

/* Read the name of a file system type into size bytes. False: it is longer, or cannot be read. */
static bool path_get_kind(char *kind, const char *name, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (target_load_kernel(&kind[i], (uintptr_t)(&name[i]), 1) || !kind[i])
			break;
	return i < size && !kind[i];
}

/* Put the name of a file without a path before the text. False: the file has a path. */
static bool path_special(struct path_walk *w)
{
	char kind[sizeof("anon_inodefs")];
	struct super_block *sb;
	struct file_system_type *type;
	const char *name;

	if (!path_get_word(sb, &w->dentry->d_sb) || !path_get_word(type, &sb->s_type) ||
	    !path_get_word(name, &type->name) || !path_get_kind(kind, name, sizeof(kind)))
		return false;
	if (!strcmp(kind, "pipefs"))
		return path_prepend_inode(w, "pipe:");
	if (!strcmp(kind, "sockfs"))
		return path_prepend_inode(w, "socket:");
	if (strcmp(kind, "anon_inodefs") || !path_prepend_name(w, w->dentry))
		return false;
	w->at++; /* the slash */
	return path_prepend(w, "anon_inode:", 11);
}

/* Return whether the name of the file was removed while it is open. */
static bool path_is_deleted(struct path_walk *w)
{
	struct hlist_bl_node **pprev;
	struct dentry *parent;

	return path_get_word(pprev, &w->dentry->d_hash.pprev) && !pprev &&
	       path_get_word(parent, &w->dentry->d_parent) && parent != w->dentry;
}

/* ---- the whole ---- */

/* Write a path as target_d_path() does, once. Its length or -EFAULT. */
static int path_build(char *buf, size_t size, const struct path *path)
{
	struct path_walk w = {.buf = buf, .at = size, .dentry = path->dentry, .mnt = path->mnt};
	struct fs_struct *fs = READ_ONCE(current->fs);
	unsigned int steps = 0;
	bool ok = true;

	if (!path->dentry || !path->mnt)
		return -EFAULT;
	if (!path_special(&w)) {
		if (!fs || !path_get_word(w.root, &fs->root))
			memset(&w.root, 0, sizeof(w.root));
		if (path_is_deleted(&w))
			path_prepend(&w, " (deleted)", 10);
		while (steps++ < PATH_STEPS && path_step(&w, &ok))
			;
		if (w.at == size)
			path_prepend(&w, "/", 1);
	}
	memmove(buf, buf + w.at, size - w.at);
	return ok ? (int)(size - w.at) : -EFAULT;
}

int target_d_path(char *buf, size_t size, uint64_t addr)
{
	unsigned int seq, tries = 0;
	struct path path;
	int n;

	do {
		seq = READ_ONCE(rename_lock.seqcount.seqcount.sequence);
		smp_rmb();
		if (!path_get_word(path, (const struct path *)(unsigned long)addr))
			return -EFAULT;
		n = path_build(buf, size, &path);
		smp_rmb();
	} while (READ_ONCE(rename_lock.seqcount.seqcount.sequence) != seq && ++tries < PATH_TRIES);
	return n;
}

uint64_t target_getf(uint32_t fd)
{
	struct files_struct *files = READ_ONCE(current->files);
	uint64_t file;

	if (!files)
		return 0;
	rcu_read_lock();
	file = (uintptr_t)files_lookup_fd_raw(files, fd);
	rcu_read_unlock();
	return file;
}
