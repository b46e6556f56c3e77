/* SPDX-License-Identifier: MIT */
/* input.c - the files given to -G. */
#include <ar.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bytes.h"
#include "input.h"

#define THIN_MAGIC	"!<thin>\n"

struct reader {
	struct diag *diag;
	input_visit *visit;
	void *context;
	struct input file;
};

static bool starts_with(const void *image, size_t size, const char *magic, size_t len)
{
	return size >= len && !memcmp(image, magic, len);
}

static bool is_elf(const void *image, size_t size)
{
	return starts_with(image, size, ELFMAG, SELFMAG);
}

/* LLVM's, bare or with its wrapper. */
static bool is_bitcode(const void *image, size_t size)
{
	return starts_with(image, size, "BC\xc0\xde", 4) || starts_with(image, size, "\xde\xc0\x17\x0b", 4);
}

static int read_bitcode(struct reader *r, struct input input)
{
	input.elf = NULL;
	input.kind = INPUT_BITCODE;
	return r->visit(r->context, &input);
}

/* ---- archives ---- */

static int read_member(struct reader *r, Elf *member)
{
	Elf_Arhdr *header = elf_getarhdr(member);
	int64_t base = elf_getbase(member);
	struct input input = r->file;
	struct bytes name = { 0 };
	int result = 0;

	if (!header || base < 0 || (uint64_t)base > r->file.size ||
	    (uint64_t)header->ar_size > r->file.size - (uint64_t)base)
		return diag_error(r->diag, "%s is a damaged archive: a member cannot be read", r->file.path);
	input.kind = INPUT_MEMBER;
	input.elf = member;
	input.image += base;
	input.size = (size_t)header->ar_size;
	bytes_printf(&name, "%s(%s)", r->file.path, header->ar_name);
	input.name = name.data;
	if (name.failed)
		result = diag_nomem(r->diag);
	else if (is_bitcode(input.image, input.size))
		result = read_bitcode(r, input);
	else if (is_elf(input.image, input.size))
		result = r->visit(r->context, &input);
	bytes_free(&name);
	return result;
}

static int read_archive(struct reader *r, Elf *archive)
{
	Elf_Cmd command = ELF_C_READ;
	int result = 0;
	Elf *member;

	while (command != ELF_C_NULL && (member = elf_begin(-1, command, archive))) {
		if (read_member(r, member))
			result = -1;
		command = elf_next(member);
		elf_end(member);
	}
	return result;
}

/* ---- thin archives: names of files, relative to the archive's folder ---- */

/* A number in a header of an archive: decimal, padded with blanks. */
static size_t ar_number(const char *text, size_t len)
{
	char copy[17] = "";

	memcpy(copy, text, len < 16 ? len : 16);
	return strtoul(copy, NULL, 10);
}

static int read_thin_file(struct reader *r, const char *name, size_t len)
{
	const char *slash = strrchr(r->file.path, '/');
	int folder = slash && *name != '/' ? (int)(slash - r->file.path) + 1 : 0, result;
	char *path;

	if (asprintf(&path, "%.*s%.*s", folder, r->file.path, (int)len, name) < 0)
		return diag_nomem(r->diag);
	result = input_read(r->diag, path, r->visit, r->context);
	free(path);
	return result;
}

/* "/123" is a place in the table of long names, whose names end in "/\n". */
static int read_thin_member(struct reader *r, const struct ar_hdr *header, const char *names, size_t size)
{
	size_t at = 0;
	const char *name = header->ar_name, *end;

	if (*name == '/') {
		at = ar_number(header->ar_name + 1, sizeof(header->ar_name) - 1);
		name = names + at;
		end = at < size ? memchr(name, '\n', size - at) : NULL;
	} else {
		end = memchr(name, '/', sizeof(header->ar_name));
		end = end ? end + 1 : NULL;
	}
	if (!end || end - name < 2)
		return diag_error(r->diag, "%s is a damaged archive: a member has no name", r->file.path);
	return read_thin_file(r, name, (size_t)(end - name) - 1);
}

static int read_thin(struct reader *r)
{
	const char *names = NULL, *image = (const char *)r->file.image;
	size_t at = SARMAG, names_size = 0, len;
	struct ar_hdr header;
	int result = 0;

	while (r->file.size - at >= sizeof(header)) {
		memcpy(&header, image + at, sizeof(header));
		at += sizeof(header);
		len = ar_number(header.ar_size, sizeof(header.ar_size));
		if (header.ar_name[0] != '/' || (header.ar_name[1] >= '0' && header.ar_name[1] <= '9')) {
			if (read_thin_member(r, &header, names, names_size))
				result = -1;
			continue;
		}
		if (len > r->file.size - at)
			return diag_error(r->diag, "%s is a damaged archive", r->file.path);
		if (header.ar_name[1] == '/') {
			names = image + at;
			names_size = len;
		}
		at += len;
		at += at < r->file.size ? at & 1 : 0;
	}
	return result;
}

/* ---- files ---- */

static int read_elf_or_archive(struct reader *r)
{
	Elf *elf = elf_memory((char *)r->file.image, r->file.size);
	int result;

	if (!elf)
		return diag_error(r->diag, "cannot read %s: %s", r->file.path, elf_errmsg(-1));
	if (elf_kind(elf) == ELF_K_AR) {
		result = read_archive(r, elf);
	} else if (elf_kind(elf) == ELF_K_ELF) {
		r->file.elf = elf;
		result = r->visit(r->context, &r->file);
	} else {
		result = diag_error(r->diag, "%s is damaged: its ELF header makes no sense", r->file.path);
	}
	elf_end(elf);
	return result;
}

int input_read_memory(struct diag *diag, const char *path, const struct stat *stat, uint8_t *image, size_t size,
	input_visit *visit, void *context)
{
	struct reader r = { diag, visit, context, { .kind = INPUT_OBJECT, .path = path, .name = path,
		.image = image, .size = size, .stat = *stat } };

	elf_version(EV_CURRENT);
	if (starts_with(image, size, THIN_MAGIC, SARMAG))
		return read_thin(&r);
	if (is_bitcode(image, size))
		return read_bitcode(&r, r.file);
	if (is_elf(image, size) || starts_with(image, size, ARMAG, SARMAG))
		return read_elf_or_archive(&r);
	return diag_error(diag, "%s is neither an object file nor an archive", path);
}

static int read_content(int fd, uint8_t *image, size_t size)
{
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = read(fd, image + done, size - done);
		if (n > 0)
			done += (size_t)n;
		else if (n == 0)
			return EIO;
		else if (errno != EINTR)
			return errno;
	}
	return 0;
}

int input_read(struct diag *diag, const char *path, input_visit *visit, void *context)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error, result;
	uint8_t *image;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		result = diag_error(diag, "cannot open %s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return result;
	}
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return diag_error(diag, "%s is no regular file", path);
	}
	image = malloc((size_t)st.st_size + 1);
	error = image ? read_content(fd, image, (size_t)st.st_size) : ENOMEM;
	close(fd);
	result = error ? diag_error(diag, "cannot read %s: %s", path, strerror(error)) :
		input_read_memory(diag, path, &st, image, (size_t)st.st_size, visit, context);
	free(image);
	return result;
}
