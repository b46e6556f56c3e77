/* SPDX-License-Identifier: MIT */
/*
 * golang.c - tells whether a process runs code of Go, by what Go's linker writes to each object: a
 * note with the number of the build, and text in front of the description of the build. Either may
 * be missing.
 */
#include <elf.h>
#include <string.h>
#include <unistd.h>
#include "../process/mappings.h"
#include "golang.h"

#define HEADERS 32		    /* program headers that are looked at */
#define NOTES	1024		    /* bytes of notes */
#define DATA	(64 << 10)	    /* bytes of variables, as Go's own tools look at */
#define MAGIC	"\xff Go buildinf:" /* at a multiple of its alignment */
#define ALIGN	16
#define PAGE	4096ULL
#define NOTE_GO 4 /* type of the note "Go" */
#define UP(n)	(((n) + 3ULL) & ~3ULL)

struct golang {
	int memory;
	uint64_t base;
	const Elf64_Phdr *segment;
};

/* Read up to n bytes of a segment. Return their number. */
static size_t segment_read(const struct golang *go, void *bytes, size_t n)
{
	const uint64_t size = go->segment->p_filesz;
	ssize_t got = pread(go->memory, bytes, n < size ? n : size,
			    (off_t)(go->base + go->segment->p_vaddr));

	return got < 0 ? 0 : (size_t)got;
}

/* Return whether a segment of notes has Go's. */
static bool notes_have_go(const struct golang *go)
{
	uint64_t words[NOTES / sizeof(uint64_t)];
	const char *bytes = (const char *)words;
	const size_t n = segment_read(go, words, sizeof(words));
	Elf64_Nhdr note;

	for (uint64_t at = 0; at + sizeof(note) + sizeof("Go") <= n;
	     at += sizeof(note) + UP(note.n_namesz) + UP(note.n_descsz)) {
		memcpy(&note, bytes + at, sizeof(note));
		if (note.n_type == NOTE_GO && note.n_namesz >= sizeof("Go") &&
		    strcmp(bytes + at + sizeof(note), "Go") == 0)
			return true;
	}
	return false;
}

/* Return whether a segment of variables begins with Go's description of the build. */
static bool data_has_go(const struct golang *go)
{
	static char bytes[DATA];
	const size_t n = segment_read(go, bytes, sizeof(bytes));

	for (size_t at = 0; at + sizeof(MAGIC) <= n; at += ALIGN)
		if (memcmp(bytes + at, MAGIC, sizeof(MAGIC) - 1) == 0)
			return true;
	return false;
}

/* Return 1 if a mapping is the beginning of an object of Go. A callback of dt_mappings_all(). */
static int mapping_look(void *arg, const struct dt_mapping *map)
{
	struct golang *go = arg;
	Elf64_Phdr headers[HEADERS];
	bool data = false;
	Elf64_Ehdr elf;
	int n;

	if (map->offset || *map->path != '/' ||
	    pread(go->memory, &elf, sizeof(elf), (off_t)map->start) != sizeof(elf) ||
	    memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf.e_phentsize != sizeof(*headers))
		return 0;
	n = elf.e_phnum < HEADERS ? elf.e_phnum : HEADERS;
	if (pread(go->memory, headers, n * sizeof(*headers), (off_t)(map->start + elf.e_phoff)) !=
	    (ssize_t)(n * sizeof(*headers)))
		return 0;
	go->base = 0;
	for (int i = 0; i < n && elf.e_type != ET_EXEC; i++)
		if (headers[i].p_type == PT_LOAD) { /* the first one, which has the headers */
			go->base =
				map->start - ((headers[i].p_vaddr - headers[i].p_offset) & -PAGE);
			break;
		}
	for (int i = 0; i < n; i++) {
		go->segment = &headers[i];
		if (go->segment->p_type == PT_NOTE && notes_have_go(go))
			return 1;
		if (go->segment->p_type == PT_LOAD && go->segment->p_flags & PF_W && !data) {
			data = true;
			if (data_has_go(go))
				return 1;
		}
	}
	return 0;
}

bool dt_golang(pid_t pid, int memory)
{
	struct golang go = {.memory = memory};

	return dt_mappings_all(pid, mapping_look, &go) == 1;
}
