/* SPDX-License-Identifier: MIT */
/* input.c - reads the files given to -G: objects, archives and programs. */
#include <ar.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bytes.h"
#include "input.h"

#define THIN_MAGIC "!<thin>\n"

/* The depth of thin archives within thin archives. An archive that contains itself has no end. */
#define THIN_DEPTH 8

struct reader {
	struct diag *diag;
	input_visit *visit;
	void *context;
	struct input file;
	unsigned int depth; /* in thin archives */
	size_t only;	    /* offset of the only member to read; 0: read all */
};

static int read_file(struct reader *r);

static bool starts_with(const void *image, size_t size, const char *magic, size_t len)
{
	return size >= len && !memcmp(image, magic, len);
}

static bool is_elf(const void *image, size_t size)
{
	return starts_with(image, size, ELFMAG, SELFMAG);
}

/* Return whether the image is LLVM bitcode, with or without its wrapper. */
static bool is_bitcode(const void *image, size_t size)
{
	return starts_with(image, size, "BC\xc0\xde", 4) ||
	       starts_with(image, size, "\xde\xc0\x17\x0b", 4);
}

static int read_bitcode(struct reader *r, struct input input)
{
	input.elf = NULL;
	input.kind = INPUT_BITCODE;
	return r->visit(r->context, &input);
}

static int read_elf(struct reader *r, struct input input)
{
	int result;

	input.elf = elf_memory((char *)input.image, input.size);
	if (!input.elf || elf_kind(input.elf) != ELF_K_ELF)
		result = diag_error(r->diag, "%s is damaged: its ELF header makes no sense",
				    input.name);
	else
		result = r->visit(r->context, &input);
	elf_end(input.elf);
	return result;
}

/*
 * ---- archives; the members of thin ones are names of files, relative to the archive's folder ----
 */

struct archive {
	struct reader *reader;
	bool thin;
	size_t at;	   /* of the next header */
	const char *names; /* the table of long names */
	size_t names_size;
};

static int archive_damaged(const struct archive *a)
{
	return diag_error(a->reader->diag, "%s is a damaged archive: make it again",
			  a->reader->file.name);
}

/* Return a number of an archive's header: decimal, padded with blanks. */
static size_t ar_number(const char *text, size_t len)
{
	char copy[17] = "";

	memcpy(copy, text, len < 16 ? len : 16);
	return strtoul(copy, NULL, 10);
}

static bool is_special(const struct ar_hdr *header)
{
	return header->ar_name[0] == '/' &&
	       !(header->ar_name[1] >= '0' && header->ar_name[1] <= '9');
}

/*
 * Return the member's name, allocated with malloc. A long name is written as "/123", an offset in
 * the table of names, where it ends with "/\n".
 */
static char *member_name(const struct archive *a, const struct ar_hdr *header)
{
	const char *name = header->ar_name, *end;
	size_t at;

	if (*name != '/') {
		end = memchr(name, '/', sizeof(header->ar_name));
		return strndup(name, end ? (size_t)(end - name) : sizeof(header->ar_name));
	}
	at = ar_number(header->ar_name + 1, sizeof(header->ar_name) - 1);
	if (at >= a->names_size)
		return NULL;
	name = a->names + at;
	end = memchr(name, '\n', a->names_size - at);
	return end && end > name ? strndup(name, (size_t)(end - name) - 1) : NULL;
}

/*
 * Return the offset of a member in a nested archive: "/123:78" is the member at 78 of the archive.
 * Return 0 if the member is not nested.
 */
static size_t nested_member(const struct ar_hdr *header)
{
	const char *colon = *header->ar_name == '/'
				    ? memchr(header->ar_name, ':', sizeof(header->ar_name))
				    : NULL;

	return colon ? ar_number(colon + 1,
				 sizeof(header->ar_name) - (size_t)(colon + 1 - header->ar_name))
		     : 0;
}

/*
 * Read a member of a thin archive: a separate file, which is rewritten like others, and named
 * archive(member) in messages.
 */
static int read_thin_member(struct archive *a, const struct ar_hdr *header, const char *name)
{
	struct reader member = *a->reader;
	const char *path = member.file.path, *slash = strrchr(path, '/');
	int folder = slash && *name != '/' ? (int)(slash - path) + 1 : 0, result;
	char *file, *whole;

	if (++member.depth > THIN_DEPTH)
		return archive_damaged(a);
	if (asprintf(&file, "%.*s%s", folder, path, name) < 0)
		return diag_nomem(member.diag);
	if (asprintf(&whole, "%s(%s)", member.file.name, basename(name)) < 0) {
		free(file);
		return diag_nomem(member.diag);
	}
	member.file = (struct input){.kind = INPUT_OBJECT, .path = file, .name = whole};
	member.only = nested_member(header);
	result = read_file(&member);
	free(whole);
	free(file);
	return result;
}

/* Read the contents of a member. Members without code are skipped. */
static int read_member(struct archive *a, const char *name, size_t at, size_t size)
{
	struct input input = a->reader->file;
	char *whole;
	int result = 0;

	if (asprintf(&whole, "%s(%s)", a->reader->file.name, name) < 0)
		return diag_nomem(a->reader->diag);
	input.kind = INPUT_MEMBER;
	input.name = whole;
	input.image += at;
	input.size = size;
	if (is_bitcode(input.image, input.size))
		result = read_bitcode(a->reader, input);
	else if (is_elf(input.image, input.size))
		result = read_elf(a->reader, input);
	free(whole);
	return result;
}

/* Read the member of len bytes at start, unless the caller has asked for another one. */
static int archive_member(struct archive *a, const struct ar_hdr *header, size_t start, size_t len)
{
	char *name = member_name(a, header);
	int result = 0;

	if (!name)
		return archive_damaged(a);
	if (!a->reader->only || a->reader->only == start - sizeof(*header))
		result = a->thin ? read_thin_member(a, header, name)
				 : read_member(a, name, start, len);
	free(name);
	return result;
}

/* Read the member or table at a->at, and advance a->at to its end. */
static int archive_step(struct archive *a)
{
	const size_t size = a->reader->file.size;
	struct ar_hdr header;
	size_t start, len;

	if (size - a->at < sizeof(header))
		return archive_damaged(a);
	memcpy(&header, a->reader->file.image + a->at, sizeof(header));
	start = a->at + sizeof(header);
	len = a->thin && !is_special(&header) ? 0
					      : ar_number(header.ar_size, sizeof(header.ar_size));
	if (memcmp(header.ar_fmag, ARFMAG, sizeof(header.ar_fmag)) || len > size - start)
		return archive_damaged(a);
	a->at = start + len + (len & 1 && start + len < size);
	if (is_special(&header)) {
		if (header.ar_name[1] == '/') {
			a->names = (const char *)a->reader->file.image + start;
			a->names_size = len;
		}
		return 0;
	}
	return archive_member(a, &header, start, len);
}

static int read_archive(struct reader *r, bool thin)
{
	struct archive archive = {.reader = r, .thin = thin, .at = SARMAG};
	size_t before = 0;
	int result = 0;

	while (archive.at < r->file.size && archive.at != before) {
		before = archive.at;
		if (archive_step(&archive))
			result = -1;
	}
	return result;
}

/* ---- files ---- */

/* Read a file whose contents are in memory. */
static int read_image(struct reader *r)
{
	const struct input *file = &r->file;

	elf_version(EV_CURRENT);
	if (starts_with(file->image, file->size, THIN_MAGIC, SARMAG) ||
	    starts_with(file->image, file->size, ARMAG, SARMAG))
		return read_archive(r, file->image[2] == 't');
	if (is_bitcode(file->image, file->size))
		return read_bitcode(r, r->file);
	if (is_elf(file->image, file->size))
		return read_elf(r, r->file);
	return diag_error(r->diag,
			  "%s is neither an object file nor an archive: cc -c makes objects, ar "
			  "archives",
			  file->name);
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

static int read_open_image(struct reader *r, int fd)
{
	struct input *file = &r->file;
	int error, result;

	file->size = (size_t)file->stat.st_size;
	file->image = malloc(file->size + 1);
	error = file->image ? read_content(fd, file->image, file->size) : ENOMEM;
	result = error ? diag_error(r->diag, "cannot read %s: %s", file->path, strerror(error))
		       : read_image(r);
	free(file->image);
	return result;
}

/* Read the open file fd; fd is -1 with errno set if it could not be opened. */
static int read_open(struct reader *r, int fd)
{
	struct input *file = &r->file;

	if (fd < 0 || fstat(fd, &file->stat))
		return diag_error(r->diag, "cannot open %s: %s", file->path, strerror(errno));
	if (!S_ISREG(file->stat.st_mode))
		return diag_error(r->diag, "%s is not a regular file", file->path);
	return read_open_image(r, fd);
}

static int read_file(struct reader *r)
{
	int fd = open(r->file.path, O_RDONLY | O_CLOEXEC);
	int result = read_open(r, fd);

	if (fd >= 0)
		close(fd);
	return result;
}

static struct reader reader_make(struct diag *diag, const char *path, input_visit *visit,
				 void *context)
{
	return (struct reader){.diag = diag,
			       .visit = visit,
			       .context = context,
			       .file = {.kind = INPUT_OBJECT, .path = path, .name = path}};
}

int input_read(struct diag *diag, const char *path, input_visit *visit, void *context)
{
	struct reader r = reader_make(diag, path, visit, context);

	return read_file(&r);
}

int input_read_open(struct diag *diag, int fd, const char *path, input_visit *visit, void *context)
{
	struct reader r = reader_make(diag, path, visit, context);

	return read_open(&r, fd);
}

int input_read_memory(struct diag *diag, const char *path, const struct stat *stat, uint8_t *image,
		      size_t size, input_visit *visit, void *context)
{
	struct reader r = reader_make(diag, path, visit, context);

	r.file.image = image;
	r.file.size = size;
	r.file.stat = *stat;
	return read_image(&r);
}
