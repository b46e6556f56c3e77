// SPDX-License-Identifier: MIT
/*
 * files.c - call all operations of a file system between two calls of getppid. Print how often, by
 * the names of the probes of fsinfo, and how many bytes are read or written.
 *
 *	files names DIR		operations of names: make, link, rename and remove files
 *	files transfers DIR	read and write in all ways
 *	files attributes DIR	change files and lock them
 *	files maps DIR [disk]	write to pages of a mapped file; on a disk, write them back
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

static struct {
	const char *name;
	int calls;
	long bytes;
} done[64];

/* Count calls of an operation, of which the last has returned bytes. */
static void count(const char *name, int calls, long bytes)
{
	int i = 0;

	while (done[i].name && strcmp(done[i].name, name))
		i++;
	done[i].name = name;
	done[i].calls += calls;
	done[i].bytes += bytes;
}

/* Mark the end of the counted calls. */
static void end(void)
{
	syscall(SYS_getppid);
}

/* Mark their begin. Until the end, the program's own code causes no page faults. */
static void begin(void)
{
	if (mlockall(MCL_CURRENT))
		err(1, "mlockall");
	syscall(SYS_getppid);
}

/* Count a call that must succeed, and return its result. */
static int did(const char *name, int result)
{
	if (result == -1)
		err(1, "%s", name);
	count(name, 1, 0);
	return result;
}

/* Count a transfer of bytes, of which there may be fewer than wanted. */
static void moved(const char *name, ssize_t bytes, ssize_t right)
{
	if (bytes != right)
		err(1, "%s: %zd", name, bytes);
	count(name, 1, bytes > 0 ? bytes : 0);
}

/* Count a call that must fail, and for which there is no operation. */
static void failed(const char *name, long result)
{
	if (result != -1)
		errx(1, "%s has not failed", name);
}

static int open_of(const char *name, int flags)
{
	count("access", 1, 0);
	return did("open", open(name, flags, 0600));
}

static void close_of(int fd)
{
	did("close", close(fd));
}

/* Return the name of a letter and a digit. Two names are kept. */
static const char *named(char letter, int number)
{
	static char names[2][3];
	static int next;
	char *name = names[next++ % 2];

	name[0] = letter;
	name[1] = (char)('0' + number);
	return name;
}

static void names(void)
{
	struct stat st;
	char text[16];
	int fd, i;

	begin();
	for (i = 0; i < 3; i++)
		did("mkdir", mkdir(named('d', i), 0700));
	failed("mkdir", mkdir("d0", 0700));
	for (i = 0; i < 2; i++)
		did("rmdir", rmdir(named('d', i)));
	for (i = 0; i < 4; i++) {
		fd = open_of(named('f', i), O_CREAT | O_EXCL | O_WRONLY);
		count("create", 1, 0);
		close_of(fd);
	}
	did("create", mknod("n0", S_IFREG | 0600, 0));
	did("create", mkfifo("p0", 0600));
	for (i = 0; i < 2; i++) {
		close_of(open_of("f0", O_CREAT | O_TRUNC | O_WRONLY));
		count("space", 1, 0);
	}
	failed("open", open("none", O_RDONLY));
	close(open("f0", O_PATH));
	for (i = 0; i < 5; i++)
		did("link", link("f0", named('l', i)));
	for (i = 0; i < 6; i++)
		did("symlink", symlink("f0", named('s', i)));
	for (i = 0; i < 7; i++)
		did("readlink", (int)readlink("s0", text, sizeof(text)));
	for (i = 0; i < 8; i++)
		did("rename", rename(named('f', 1 + i % 2 * 8), named('f', 9 - i % 2 * 8)));
	for (i = 0; i < 9; i++)
		did("access", access("f0", R_OK));
	for (i = 0; i < 10; i++)
		did("getattr", stat("f0", &st));
	did("getattr", lstat("s0", &st));
	did("getattr", fstat(0, &st));
	for (i = 0; i < 5; i++)
		did("remove", unlink(named('l', i)));
	for (i = 0; i < 6; i++)
		did("remove", unlink(named('s', i)));
	did("remove", unlink("n0"));
	did("remove", unlink("p0"));
	for (i = 0; i < 4; i++)
		did("remove", unlink(named('f', i)));
	failed("remove", unlink("none"));
	did("rmdir", rmdir("d2"));
	count("inactive", 3 + 6 + 2 + 4, 0);
	end();
}

/* Read and write by io_submit(). */
static void asynchronous(aio_context_t context, int fd, char *bytes)
{
	struct iocb calls[2] = {
		{.aio_lio_opcode = IOCB_CMD_PREAD, .aio_nbytes = 20},
		{.aio_lio_opcode = IOCB_CMD_PWRITE, .aio_nbytes = 30},
	};
	struct iocb *each[2];
	struct io_event events[2];

	for (int i = 0; i < 2; i++) {
		calls[i].aio_fildes = (uint32_t)fd;
		calls[i].aio_buf = (uintptr_t)bytes;
		each[i] = &calls[i];
	}
	if (syscall(SYS_io_submit, context, 2L, each) != 2 ||
	    syscall(SYS_io_getevents, context, 2L, 2L, events, NULL) != 2)
		err(1, "io_submit");
	moved("read", 20, (ssize_t)events[0].res);
	moved("write", 30, (ssize_t)events[1].res);
}

static void transfers(void)
{
	char bytes[4096] = "", *volatile nowhere = NULL;
	struct iovec parts[] = {{bytes, 100}, {bytes + 100, 50}};
	int write_only = open("/dev/null", O_WRONLY), folder = open(".", O_RDONLY), ends[2];
	int fd = open("data", O_RDWR | O_CREAT, 0600), to = open("copy", O_RDWR | O_CREAT, 0600);
	aio_context_t context = 0;
	off64_t at = 0;
	ssize_t n;

	if (pipe(ends) || syscall(SYS_io_setup, 2, &context))
		err(1, "pipe or io_setup");
	begin();
	moved("write", write(fd, bytes, 300), 300);
	moved("write", pwrite(fd, bytes, 7, 300), 7);
	moved("write", writev(fd, parts, 2), 150);
	moved("write", pwritev(fd, parts, 2, 1000), 150);
	moved("write", write(write_only, bytes, 5), 5);
	moved("write", write(fd, nowhere, 16), -1);
	did("seek", (int)lseek(fd, 0, SEEK_SET));
	did("seek", (int)lseek(fd, 0, SEEK_END));
	did("seek", (int)lseek(fd, 0, SEEK_SET));
	failed("seek", lseek(ends[0], 0, SEEK_SET));
	moved("read", read(fd, bytes, 11), 11);
	moved("read", pread(fd, bytes, 13, 4), 13);
	moved("read", readv(fd, parts, 2), 150);
	moved("read", preadv(fd, parts, 1, 8), 100);
	moved("read", pread(fd, bytes, 100, 1 << 20), 0);
	moved("read", read(fd, nowhere, 16), -1);
	failed("read", read(-1, bytes, 1));
	failed("read", read(write_only, bytes, 1));
	failed("write", write(-1, bytes, 1));
	asynchronous(context, fd, bytes);
	n = sendfile64(to, fd, &at, 123);
	moved("read", n, 123);
	moved("write", n, 123);
	n = copy_file_range(fd, &at, to, NULL, 45, 0);
	moved("read", n, 45);
	moved("write", n, 45);
	moved("read", splice(fd, &at, ends[1], NULL, 60, 0), 60);
	moved("write", splice(ends[0], NULL, to, NULL, 60, 0), 60);
	do {
		n = syscall(SYS_getdents64, folder, bytes, sizeof(bytes));
		moved("readdir", n, n);
	} while (n > 0);
	failed("readdir", syscall(SYS_getdents64, fd, bytes, sizeof(bytes)));
	close_of(fd);
	close_of(to);
	end();
}

static void attributes(void)
{
	/* version, and kind, rights and number of: user, user 1, group, mask, others */
	static const struct {
		uint32_t version;
		struct {
			uint16_t kind, rights;
			uint32_t id;
		} entries[5];
	} acl = {2, {{1, 6, ~0U}, {2, 4, 1}, {4, 4, ~0U}, {16, 4, ~0U}, {32, 4, ~0U}}};
	static const char access_acl[] = "system.posix_acl_access";
	static const struct timespec times[2];
	struct flock lock = {.l_type = F_WRLCK, .l_len = 1};
	int fd = open("data", O_RDWR | O_CREAT, 0600), flags = 0;
	char text[64];

	begin();
	did("setattr", chmod("data", 0640));
	did("setattr", fchmod(fd, 0600));
	did("setattr", chown("data", 0, 0));
	did("setattr", utimensat(AT_FDCWD, "data", times, 0));
	did("space", ftruncate(fd, 10000));
	did("space", truncate("data", 5000));
	/* not every file system can do that */
	if (fallocate(fd, 0, 0, 20000) && errno != EOPNOTSUPP)
		err(1, "fallocate");
	count("space", 1, 0);
	did("fsync", fsync(fd));
	did("fsync", fdatasync(fd));
	for (int i = 0; i < 4; i++)
		did("ioctl", ioctl(fd, FIGETBSZ, &flags));
	did("setfl", fcntl(fd, F_SETFL, O_APPEND));
	did("setfl", fcntl(fd, F_SETFL, 0));
	if (fcntl(fd, F_GETFL) == -1)
		err(1, "F_GETFL");
	did("frlock", fcntl(fd, F_SETLK, &lock));
	did("frlock", fcntl(fd, F_GETLK, &lock));
	did("frlock", flock(fd, LOCK_EX));
	did("frlock", flock(fd, LOCK_UN));
	did("setsecattr", setxattr("data", access_acl, &acl, sizeof(acl), 0));
	did("getsecattr", (int)getxattr("data", access_acl, text, sizeof(text)));
	did("getsecattr", (int)fgetxattr(fd, access_acl, text, sizeof(text)));
	did("setsecattr", removexattr("data", access_acl));
	failed("getxattr", getxattr("data", "user.none", text, sizeof(text)));
	end();
}

static void maps(bool written_back)
{
	int fd = open("data", O_RDWR | O_CREAT, 0600);
	size_t size = 8 * 4096;
	char *pages;

	if (ftruncate(fd, (off_t)size))
		err(1, "ftruncate");
	begin();
	pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	did("map", pages == MAP_FAILED ? -1 : 0);
	if (mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		err(1, "mmap");
	for (size_t at = 0; at < size; at += 4096) {
		*(volatile char *)(pages + at) = 1;
		count("getpage", 1, 0);
	}
	if (sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE))
		err(1, "sync_file_range");
	if (written_back)
		count("putpage", 1, 0);
	end();
}

int main(int argc, char **argv)
{
	const char *verb = argc > 2 ? argv[1] : "";

	if (*verb && chdir(argv[2]))
		err(1, "%s", argv[2]);
	if (!strcmp(verb, "names"))
		names();
	else if (!strcmp(verb, "transfers"))
		transfers();
	else if (!strcmp(verb, "attributes"))
		attributes();
	else if (!strcmp(verb, "maps"))
		maps(argc > 3);
	else
		return 2;
	for (int i = 0; done[i].name; i++)
		printf("%s %d %ld\n", done[i].name, done[i].calls, done[i].bytes);
	return 0;
}
