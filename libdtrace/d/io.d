/* SPDX-License-Identifier: MIT */
/*
 * io.d - input and output: bufinfo_t and devinfo_t of a bio, a request or a buffer head, fileinfo_t of an open file,
 * and fds[] for the files of the process that fired the probe.
 */
#pragma D depends_on library procfs.d

/* b_flags of bufinfo_t */
inline int B_BUSY = 0x00000001;
inline int B_DONE = 0x00000002;
inline int B_ERROR = 0x00000004;
inline int B_PAGEIO = 0x00000010;
inline int B_PHYS = 0x00000020;
inline int B_READ = 0x00000040;
inline int B_WRITE = 0x00000100;
inline int B_ASYNC = 0x00000400;

/* fi_oflags of fileinfo_t */
inline int O_ACCMODE = 0003;
inline int O_RDONLY = 00;
inline int O_WRONLY = 01;
inline int O_RDWR = 02;
inline int O_CREAT = 0100;
inline int O_EXCL = 0200;
inline int O_NOCTTY = 0400;
inline int O_TRUNC = 01000;
inline int O_APPEND = 02000;
inline int O_NONBLOCK = 04000;
inline int O_NDELAY = 04000;
inline int O_DSYNC = 010000;
inline int O_DIRECT = 040000;
inline int O_LARGEFILE = 0100000;
inline int O_DIRECTORY = 0200000;
inline int O_NOFOLLOW = 0400000;
inline int O_NOATIME = 01000000;
inline int O_CLOEXEC = 02000000;
inline int O_SYNC = 04010000;
inline int O_RSYNC = 04010000;
inline int O_PATH = 010000000;

typedef struct bufinfo {
	int b_flags;			/* B_* */
	size_t b_bcount;		/* bytes */
	caddr_t b_addr;			/* of the data */
	uint64_t b_blkno;		/* on the device, or in a file of NFS, in blocks of 512 bytes */
	uint64_t b_lblkno;		/* of a buffer head: in the file system's own blocks */
	size_t b_resid;			/* bytes not transferred */
	size_t b_bufsize;		/* of the buffer: the same as b_bcount */
	caddr_t b_iodone;		/* called at the end */
	int b_error;			/* 0, or the errno of a transfer that has failed; of a bio: the kernel's status */
	dev_t b_edev;			/* the device: getmajor() and getminor() take it apart */
} bufinfo_t;

/* Flags from those of a bio or request: of its operation the lowest bit is set when it writes, 0x800 when somebody
 * waits for it. */
inline int b_flags_of[uint64_t op] = (op & 1 ? B_WRITE : B_READ) | (op & 0x800 ? 0 : B_ASYNC);

translator bufinfo_t < struct bio *B > {
	b_flags = b_flags_of[B->bi_opf] | (B->bi_status != 0 ? B_ERROR : 0);
	b_bcount = B->bi_iter.bi_size;
	/* It is in pages, which may have no address. */
	b_addr = (caddr_t)NULL;
	b_blkno = B->bi_iter.bi_sector;
	b_lblkno = B->bi_iter.bi_sector;
	/* b_bcount is the part of a bio that is left. */
	b_resid = 0;
	b_bufsize = B->bi_iter.bi_size;
	b_iodone = (caddr_t)B->bi_end_io;
	b_error = B->bi_status;
	b_edev = __exists(B->bi_bdev) ? B->bi_bdev->bd_dev :
	    (dev_t)((B->bi_disk->major << 20) | B->bi_disk->first_minor);
};

translator bufinfo_t < struct request *R > {
	b_flags = b_flags_of[R->cmd_flags];
	b_bcount = R->__data_len;
	b_addr = (caddr_t)NULL;
	b_blkno = R->__sector;
	b_lblkno = R->__sector;
	b_resid = 0;
	b_bufsize = R->__data_len;
	b_iodone = (caddr_t)R->end_io;
	/* The driver's status comes with the end of the request, not in it. */
	b_error = 0;
	b_edev = R->part != NULL ? (dev_t)R->part->bd_dev : 0;
};

translator bufinfo_t < struct buffer_head *B > {
	/* The direction is that of the bio which carries it. Bit 2 of the state: it is locked for input or output. */
	b_flags = B->b_state & 4 ? B_BUSY : B_DONE;
	b_bcount = B->b_size;
	b_addr = (caddr_t)B->b_data;
	b_blkno = B->b_blocknr * (B->b_size / 512);
	b_lblkno = B->b_blocknr;
	b_resid = 0;
	b_bufsize = B->b_size;
	b_iodone = (caddr_t)B->b_end_io;
	b_error = 0;
	b_edev = B->b_bdev->bd_dev;
};

/*
 * The arguments of probes of io: a bio, a buffer head or a transfer of NFS, and how the transfer ended. The module
 * declares the same.
 */
struct dtrace_io {
	uintptr_t bio;			/* the kernel's struct bio */
	uintptr_t buffer;		/* the kernel's struct buffer_head */
	uintptr_t dentry;		/* of NFS: the kernel's struct dentry of the file; else 0 */
	uint64_t offset;		/* of a bio: on the device; of NFS: in the file; in bytes */
	uint64_t bytes;			/* of a bio and of NFS */
	uint64_t residue;		/* of NFS: bytes that were not transferred */
	int error;			/* an errno, or 0 */
	int write;			/* of NFS: to the server */
	int direct;			/* of NFS: not by way of the page cache */
	unsigned int vector;		/* of a bio: number of the bio_vec in which it begins */
};

/* Of an operation on data the number is even for what reads. B_PHYS: not by way of the page cache. */
inline int io_flags_of_bio[uintptr_t e] = b_flags_of[((struct bio *)((struct dtrace_io *)e)->bio)->bi_opf] |
    (io_is_direct[e] ? B_PHYS : B_PAGEIO);
inline int io_flags_of_buffer[uintptr_t b] = ((struct buffer_head *)b)->b_state & 4 ? B_BUSY : B_DONE;
/* No thread waits within the call that sends a transfer of NFS. */
inline int io_flags_of_nfs[uintptr_t e] = (((struct dtrace_io *)e)->write ? B_WRITE : B_READ) | B_ASYNC |
    (((struct dtrace_io *)e)->direct ? B_PHYS : B_PAGEIO);
inline size_t io_size[uintptr_t e] = ((struct dtrace_io *)e)->buffer == 0 ? ((struct dtrace_io *)e)->bytes :
    ((struct buffer_head *)((struct dtrace_io *)e)->buffer)->b_size;

translator bufinfo_t < struct dtrace_io *E > {
	b_flags = E->dentry != 0 ? io_flags_of_nfs[(uintptr_t)E] | (E->error ? B_ERROR : 0) :
	    E->bio == 0 ? io_flags_of_buffer[E->buffer] : io_flags_of_bio[(uintptr_t)E] | (E->error ? B_ERROR : 0);
	b_bcount = io_size[(uintptr_t)E];
	b_addr = E->buffer == 0 ? (caddr_t)NULL : (caddr_t)((struct buffer_head *)E->buffer)->b_data;
	/* of NFS: in the file */
	b_blkno = E->buffer == 0 ? E->offset / 512 :
	    ((struct buffer_head *)E->buffer)->b_blocknr * (((struct buffer_head *)E->buffer)->b_size / 512);
	b_lblkno = E->buffer == 0 ? E->offset / 512 : ((struct buffer_head *)E->buffer)->b_blocknr;
	b_resid = E->residue;
	b_bufsize = io_size[(uintptr_t)E];
	b_iodone = E->dentry != 0 ? (caddr_t)NULL : E->bio == 0 ?
	    (caddr_t)((struct buffer_head *)E->buffer)->b_end_io : (caddr_t)((struct bio *)E->bio)->bi_end_io;
	b_error = E->error;
	b_edev = io_dev[(uintptr_t)E];
};

typedef struct devinfo {
	int dev_major;			/* number of the driver */
	int dev_minor;			/* number of the disk or its part within that */
	int dev_instance;		/* of NFS: dev_minor */
	string dev_name;		/* of the disk; nfs */
	string dev_statname;		/* of the disk or its part */
	string dev_pathname;		/* in /dev */
} devinfo_t;

/* The block device at b. */
inline string dev_disk_of[uintptr_t b] = stringof(((struct block_device *)b)->bd_disk->disk_name);
inline string dev_name_of[uintptr_t b] = stringof(((struct block_device *)b)->bd_device.kobj.name);
inline uintptr_t dev_of_bio[uintptr_t b] = __exists(((struct bio *)b)->bi_bdev) ?
    (uintptr_t)((struct bio *)b)->bi_bdev : (uintptr_t)((struct bio *)b)->bi_disk->part0;
inline dev_t dev_number[uintptr_t b] = ((struct block_device *)b)->bd_dev;

/* That of what a probe of io gives. */
inline uintptr_t dev_of_io[uintptr_t e] = ((struct dtrace_io *)e)->bio != 0 ?
    dev_of_bio[((struct dtrace_io *)e)->bio] : (uintptr_t)((struct buffer_head *)((struct dtrace_io *)e)->buffer)->b_bdev;

/* Of NFS: that which the kernel has given the mounted file system. */
inline dev_t io_dev[uintptr_t e] = ((struct dtrace_io *)e)->dentry != 0 ?
    (dev_t)((struct dentry *)((struct dtrace_io *)e)->dentry)->d_sb->s_dev : dev_number[dev_of_io[e]];

/* Names of NFS are those of other DTraces. */
translator devinfo_t < struct dtrace_io *E > {
	dev_major = (int)(io_dev[(uintptr_t)E] >> 20);
	dev_minor = (int)(io_dev[(uintptr_t)E] & 0xfffff);
	dev_instance = E->dentry != 0 ? (int)(io_dev[(uintptr_t)E] & 0xfffff) : 0;
	dev_name = E->dentry != 0 ? "nfs" : dev_disk_of[dev_of_io[(uintptr_t)E]];
	dev_statname = E->dentry != 0 ? strjoin("nfs", lltostr(io_dev[(uintptr_t)E] & 0xfffff)) :
	    dev_name_of[dev_of_io[(uintptr_t)E]];
	dev_pathname = E->dentry != 0 ? "<nfs>" : strjoin("/dev/", dev_name_of[dev_of_io[(uintptr_t)E]]);
};

translator devinfo_t < struct block_device *D > {
	dev_major = (int)(D->bd_dev >> 20);
	dev_minor = (int)(D->bd_dev & 0xfffff);
	/* Linux does not number the devices of a driver. */
	dev_instance = 0;
	dev_name = dev_disk_of[(uintptr_t)D];
	dev_statname = dev_name_of[(uintptr_t)D];
	dev_pathname = strjoin("/dev/", dev_name_of[(uintptr_t)D]);
};

translator devinfo_t < struct bio *B > {
	dev_major = (int)(dev_number[dev_of_bio[(uintptr_t)B]] >> 20);
	dev_minor = (int)(dev_number[dev_of_bio[(uintptr_t)B]] & 0xfffff);
	dev_instance = 0;
	dev_name = dev_disk_of[dev_of_bio[(uintptr_t)B]];
	dev_statname = dev_name_of[dev_of_bio[(uintptr_t)B]];
	dev_pathname = strjoin("/dev/", dev_name_of[dev_of_bio[(uintptr_t)B]]);
};

translator devinfo_t < struct request *R > {
	dev_major = (int)(R->part->bd_dev >> 20);
	dev_minor = (int)(R->part->bd_dev & 0xfffff);
	dev_instance = 0;
	dev_name = dev_disk_of[(uintptr_t)R->part];
	dev_statname = dev_name_of[(uintptr_t)R->part];
	dev_pathname = strjoin("/dev/", dev_name_of[(uintptr_t)R->part]);
};

translator devinfo_t < struct buffer_head *B > {
	dev_major = (int)(B->b_bdev->bd_dev >> 20);
	dev_minor = (int)(B->b_bdev->bd_dev & 0xfffff);
	dev_instance = 0;
	dev_name = dev_disk_of[(uintptr_t)B->b_bdev];
	dev_statname = dev_name_of[(uintptr_t)B->b_bdev];
	dev_pathname = strjoin("/dev/", dev_name_of[(uintptr_t)B->b_bdev]);
};

typedef struct fileinfo {
	string fi_name;			/* last part of the path */
	string fi_dirname;		/* what is before it */
	string fi_pathname;		/* "<none>" if there is no such file */
	int64_t fi_offset;		/* where it is read or written next */
	string fi_fs;			/* type of the file system */
	string fi_mount;		/* where that is mounted */
	int fi_oflags;			/* O_*, as it was opened */
} fileinfo_t;

/* Path of the root of mount m; p has the size of a struct path. */
inline string fi_root_of[uintptr_t m, uintptr_t p] =
    (((struct path *)p)->mnt = (struct vfsmount *)m, ((struct path *)p)->dentry = ((struct vfsmount *)m)->mnt_root,
    d_path((struct path *)p));

translator fileinfo_t < struct file *F > {
	fi_name = F == NULL ? "<none>" : basename(d_path(&F->f_path));
	fi_dirname = F == NULL ? "<none>" : dirname(d_path(&F->f_path));
	fi_pathname = F == NULL ? "<none>" : d_path(&F->f_path);
	fi_offset = F == NULL ? 0 : F->f_pos;
	fi_fs = F == NULL ? "<none>" : stringof(F->f_path.dentry->d_sb->s_type->name);
	fi_mount = F == NULL ? "<none>" :
	    fi_root_of[(uintptr_t)F->f_path.mnt, (uintptr_t)alloca(sizeof (struct path))];
	fi_oflags = F == NULL ? 0 : (int)F->f_flags;
};

/*
 * The file of a transfer is that of its first page in the page cache. 0: there is no page, as when blocks are
 * discarded. Of a page of several the first, the head, has the mapping.
 */
inline uintptr_t io_page_of_vector[uintptr_t b, unsigned int n] = ((struct bio *)b)->bi_io_vec == NULL ? 0 :
    (uintptr_t)((struct bio *)b)->bi_io_vec[n].bv_page;
inline uintptr_t io_page_of_bio[uintptr_t b] = io_page_of_vector[b, ((struct bio *)b)->bi_iter.bi_idx];
inline uintptr_t io_page_of_request[uintptr_t r] = ((struct request *)r)->bio == NULL ? 0 :
    io_page_of_bio[(uintptr_t)((struct request *)r)->bio];
inline uintptr_t io_page[uintptr_t e] = ((struct dtrace_io *)e)->bio != 0 ?
    io_page_of_vector[((struct dtrace_io *)e)->bio, ((struct dtrace_io *)e)->vector] :
    (uintptr_t)((struct buffer_head *)((struct dtrace_io *)e)->buffer)->b_page;
inline uintptr_t io_page_head[uintptr_t p] = p != 0 && ((struct page *)p)->compound_head & 1 ?
    (uintptr_t)((struct page *)p)->compound_head - 1 : p;
inline uintptr_t io_mapping[uintptr_t p] = p == 0 ? 0 : (uintptr_t)((struct page *)p)->mapping;
/* Pages of processes that the kernel puts into swap space. */
inline int io_is_swap[uintptr_t e] = ((struct dtrace_io *)e)->bio == 0 ? 0 :
    (int)(((struct bio *)((struct dtrace_io *)e)->bio)->bi_opf >> `__REQ_SWAP & 1);
/* Bit 0: the memory of a process, which the transfer goes to or comes from directly. */
inline int io_is_direct[uintptr_t e] = io_mapping[io_page_head[io_page[e]]] & 1 && !io_is_swap[e];
inline uintptr_t io_inode[uintptr_t m] = m == 0 || m & 3 ? 0 : (uintptr_t)((struct address_space *)m)->host;
/* A name of the inode. That of a block device, 0x6000, stands for the blocks that are no file's. */
inline uintptr_t io_dentry_of[uintptr_t i] = i == 0 || ((struct inode *)i)->i_dentry.first == NULL ||
    (((struct inode *)i)->i_mode & 0xf000) == 0x6000 ? 0 :
    (uintptr_t)((struct inode *)i)->i_dentry.first - offsetof(struct dentry, d_u);
inline uintptr_t io_inode_of[uintptr_t p] = io_inode[io_mapping[io_page_head[p]]];
inline uintptr_t io_dentry[uintptr_t p] = io_dentry_of[io_inode_of[p]];
/* Where the file's file system is mounted: the first place, if there are several. */
inline uintptr_t io_mount[uintptr_t d] =
    (uintptr_t)((struct dentry *)d)->d_sb->s_mounts.next - offsetof(struct mount, mnt_instance) +
    offsetof(struct mount, mnt);
inline string io_path_set[uintptr_t d, uintptr_t p] =
    (((struct path *)p)->mnt = (struct vfsmount *)io_mount[d], ((struct path *)p)->dentry = (struct dentry *)d,
    d_path((struct path *)p));
inline string io_path[uintptr_t d] = d == 0 ? "<none>" : io_path_set[d, (uintptr_t)alloca(sizeof (struct path))];
/* Pages have 4,096 bytes. */
inline int64_t io_offset[uintptr_t p, uintptr_t head] =
    (int64_t)((struct page *)head)->index * 4096 + (int64_t)((p - head) / sizeof (struct page)) * 4096;

/* Of a directory entry, or of none. */
inline string io_name[uintptr_t d] = d == 0 ? "<none>" : stringof(((struct dentry *)d)->d_name.name);
inline string io_dir[uintptr_t d] = d == 0 ? "<none>" : dirname(io_path[d]);
inline string io_mount_path[uintptr_t d] = d == 0 ? "<none>" :
    fi_root_of[io_mount[d], (uintptr_t)alloca(sizeof (struct path))];

/* Of the file that page p holds a part of; the offset is where the transfer begins. */
inline string io_file_name[uintptr_t p] = io_name[io_dentry[p]];
inline string io_file_dir[uintptr_t p] = io_dir[io_dentry[p]];
inline string io_file_path[uintptr_t p] = io_path[io_dentry[p]];
inline int64_t io_file_offset[uintptr_t p] = io_dentry[p] == 0 ? 0 : io_offset[p, io_page_head[p]];
inline string io_file_fs[uintptr_t p] = io_inode_of[p] == 0 ? "<none>" :
    stringof(((struct inode *)io_inode_of[p])->i_sb->s_type->name);
inline string io_file_mount[uintptr_t p] = io_mount_path[io_dentry[p]];

/* NFS knows the file by its open file, other transfers have a page of it. */
inline uintptr_t io_file[uintptr_t e] = ((struct dtrace_io *)e)->dentry != 0 ? ((struct dtrace_io *)e)->dentry :
    io_dentry[io_page[e]];

translator fileinfo_t < struct dtrace_io *E > {
	fi_name = io_name[io_file[(uintptr_t)E]];
	fi_dirname = io_dir[io_file[(uintptr_t)E]];
	fi_pathname = io_path[io_file[(uintptr_t)E]];
	fi_offset = E->dentry != 0 ? (int64_t)E->offset : io_file_offset[io_page[(uintptr_t)E]];
	fi_fs = E->dentry != 0 ? stringof(((struct dentry *)E->dentry)->d_sb->s_type->name) :
	    io_file_fs[io_page[(uintptr_t)E]];
	fi_mount = io_mount_path[io_file[(uintptr_t)E]];
	/* Not every transfer is made by an open file: pages are written back later. */
	fi_oflags = 0;
};
translator fileinfo_t < struct bio *B > {
	fi_name = io_file_name[io_page_of_bio[(uintptr_t)B]];
	fi_dirname = io_file_dir[io_page_of_bio[(uintptr_t)B]];
	fi_pathname = io_file_path[io_page_of_bio[(uintptr_t)B]];
	fi_offset = io_file_offset[io_page_of_bio[(uintptr_t)B]];
	fi_fs = io_file_fs[io_page_of_bio[(uintptr_t)B]];
	fi_mount = io_file_mount[io_page_of_bio[(uintptr_t)B]];
	fi_oflags = 0;
};
translator fileinfo_t < struct request *R > {
	fi_name = io_file_name[io_page_of_request[(uintptr_t)R]];
	fi_dirname = io_file_dir[io_page_of_request[(uintptr_t)R]];
	fi_pathname = io_file_path[io_page_of_request[(uintptr_t)R]];
	fi_offset = io_file_offset[io_page_of_request[(uintptr_t)R]];
	fi_fs = io_file_fs[io_page_of_request[(uintptr_t)R]];
	fi_mount = io_file_mount[io_page_of_request[(uintptr_t)R]];
	fi_oflags = 0;
};

/*
 * The file of an operation, as the probes of fsinfo have it: an open file with its path, else a path, a directory
 * entry or an inode. The module declares the same.
 */
struct dtrace_fs {
	uintptr_t file;			/* the kernel's struct file */
	uintptr_t path;			/* struct path */
	uintptr_t dentry;		/* struct dentry */
	uintptr_t inode;		/* struct inode */
};

inline uintptr_t fs_dentry[uintptr_t e] =
    ((struct dtrace_fs *)e)->path != 0 ? (uintptr_t)((struct path *)((struct dtrace_fs *)e)->path)->dentry :
    ((struct dtrace_fs *)e)->dentry != 0 ? ((struct dtrace_fs *)e)->dentry :
    io_dentry_of[((struct dtrace_fs *)e)->inode];
/* A directory entry that is new has no place in the directory yet: its path is made from the directory's. */
inline string fs_join[string dir, string name] = dir == "/" ? strjoin("/", name) : strjoin(strjoin(dir, "/"), name);
inline string fs_path_of[uintptr_t d] = (uintptr_t)((struct dentry *)d)->d_parent == d ? io_path[d] :
    fs_join[io_path[(uintptr_t)((struct dentry *)d)->d_parent], stringof(((struct dentry *)d)->d_name.name)];
inline string fs_path[uintptr_t e] =
    ((struct dtrace_fs *)e)->path != 0 ? d_path((struct path *)((struct dtrace_fs *)e)->path) :
    ((struct dtrace_fs *)e)->dentry != 0 ? fs_path_of[((struct dtrace_fs *)e)->dentry] : io_path[fs_dentry[e]];
inline uintptr_t fs_mount[uintptr_t e] =
    ((struct dtrace_fs *)e)->path != 0 ? (uintptr_t)((struct path *)((struct dtrace_fs *)e)->path)->mnt :
    io_mount[fs_dentry[e]];
inline string fs_type[uintptr_t e] = ((struct dtrace_fs *)e)->inode != 0 ?
    stringof(((struct inode *)((struct dtrace_fs *)e)->inode)->i_sb->s_type->name) :
    stringof(((struct dentry *)fs_dentry[e])->d_sb->s_type->name);

/* An inode that no directory has, as that of a removed file, has no name. */
translator fileinfo_t < struct dtrace_fs *E > {
	fi_name = basename(fs_path[(uintptr_t)E]);
	fi_dirname = fs_dentry[(uintptr_t)E] == 0 ? "<none>" : dirname(fs_path[(uintptr_t)E]);
	fi_pathname = fs_path[(uintptr_t)E];
	fi_offset = E->file == 0 ? 0 : ((struct file *)E->file)->f_pos;
	fi_fs = fs_type[(uintptr_t)E];
	fi_mount = fs_dentry[(uintptr_t)E] == 0 ? "<none>" :
	    fi_root_of[fs_mount[(uintptr_t)E], (uintptr_t)alloca(sizeof (struct path))];
	fi_oflags = E->file == 0 ? 0 : (int)((struct file *)E->file)->f_flags;
};

/* Threads of the kernel have no files. */
inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (
    curthread->files != NULL && fd >= 0 && (uint32_t)fd < curthread->files->fdt->max_fds ?
    curthread->files->fdt->fd[fd] : NULL);
#pragma D attributes Stable/Stable/Common fds

/* A thread that ends has none any more. */
inline string cwd = curthread->fs == NULL ? "<none>" : d_path(&curthread->fs->pwd);
#pragma D attributes Stable/Stable/Common cwd

inline string root = curthread->fs == NULL ? "<none>" : d_path(&curthread->fs->root);
#pragma D attributes Stable/Stable/Common root
