/* SPDX-License-Identifier: MIT */
/* codepage.c - pages of code that dtrace has put into a process. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../list.h"
#include "../process/mappings.h"
#include "codepage.h"
#include "memfile.h"

#define INT3	  0xcc
#define JUMP	  0xe9
#define JUMP_SIZE 5
#define RUN	  256 /* pages of a memory file at most */
#define NAME	  "dtrace-code"
/*
 * A page of cells has this number behind the constant. The number changes when trampolines do. A
 * page of jumps cannot have it: of any eight bytes of such a page, one is 0xe9 or 0xcc.
 */
#define CODE_MAGIC 0x31656c6c65637464ULL /* "dtcelle1" */

struct code_page {
	uint64_t addr;
	uint16_t next;	 /* offset of the next free cell; 0: a page of jumps */
	uint16_t blocks; /* number of entries of its table */
	bool mapped;	 /* the process has mapped it */
	bool changed;	 /* it differs from the mapped page */
	uint8_t bytes[DT_PAGE];
	bool used[DT_PAGE];
};

static uint64_t page_of(uint64_t addr)
{
	return addr & ~(DT_PAGE - 1);
}

/* Return the number of pages at addr or below. */
static size_t pages_until(const struct code_pages *pages, uint64_t addr)
{
	return dt_list_pointers_until(pages->list, pages->n, offsetof(struct code_page, addr),
				      addr);
}

/* Return the page of an address, or NULL. */
static struct code_page *page_find(const struct code_pages *pages, uint64_t addr)
{
	size_t i = addr < DT_SPACE_END ? pages_until(pages, addr) : 0;

	return i && pages->list[i - 1]->addr == page_of(addr) ? pages->list[i - 1] : NULL;
}

/* Add an empty page at a free address. Return the page, or NULL without memory. */
static struct code_page *page_add(struct code_pages *pages, uint64_t addr)
{
	struct code_page **more = dt_list_grow(pages->list, pages->n, sizeof(struct code_page *));
	struct code_page *page;
	size_t at;

	if (!more)
		return NULL;
	pages->list = more;
	page = calloc(1, sizeof(*page));
	if (!page || dt_space_add(&pages->space, addr) != 0) {
		free(page);
		return NULL;
	}
	page->addr = addr;
	memset(page->bytes, INT3, sizeof(page->bytes));
	at = pages_until(pages, addr);
	memmove(more + at + 1, more + at, (pages->n - at) * sizeof(struct code_page *));
	more[at] = page;
	pages->n++;
	return page;
}

/* Remove a page that could not be mapped. */
static void page_drop(struct code_pages *pages, size_t i)
{
	free(pages->list[i]);
	memmove(pages->list + i, pages->list + i + 1,
		(--pages->n - i) * sizeof(struct code_page *));
}

/* ---- the table of a page of cells ---- */

#define ENTRY_SITE	  ((1ULL << 48) - 1)
#define ENTRY_CELL(entry) ((entry) >> 48 & 0xff)
#define ENTRY_SIZE(entry) ((entry) >> 56) /* cells */
#define CELLS		  (DT_PAGE / CODE_CELL)

/* Return an entry of the table. */
static uint64_t page_entry(const struct code_page *page, size_t i)
{
	uint64_t entry;

	memcpy(&entry, page->bytes + DT_PAGE - (i + 1) * sizeof(entry), sizeof(entry));
	return entry;
}

/* Return the offset of the end of the cells if the table has n entries. */
static size_t cells_end(size_t n)
{
	return DT_PAGE - n * sizeof(uint64_t);
}

/*
 * Read the table of a page of an earlier session. Entries follow each other, and free entries are
 * filled with int3.
 */
static void page_read_table(struct code_page *page)
{
	page->next = CODE_CELL;
	for (page->blocks = 0; page->blocks < CELLS; page->blocks++) {
		const uint64_t entry = page_entry(page, page->blocks);
		const size_t end = (ENTRY_CELL(entry) + ENTRY_SIZE(entry)) * CODE_CELL;

		if (ENTRY_CELL(entry) * CODE_CELL != page->next || !ENTRY_SIZE(entry) ||
		    end > cells_end(page->blocks + 1U))
			break;
		page->next = (uint16_t)end;
	}
}

static bool page_has_cells(const struct code_page *page)
{
	const uint64_t magic = CODE_MAGIC;

	return memcmp(page->bytes + sizeof(uint64_t), &magic, sizeof(magic)) == 0;
}

/* ---- pages of earlier sessions ---- */

/* The state of a search for pages of earlier sessions. */
struct look {
	struct code_pages *pages;
	int memory;
	uint64_t end; /* of the last page that was found */
	size_t rest;  /* bytes of a jump that continue on the next page */
	int error;
};

/*
 * Mark the used bytes of a page of jumps. If the process has changed the page, the rest of the page
 * counts as used.
 */
static void page_read_jumps(struct look *look, struct code_page *page)
{
	size_t at = look->rest;

	memset(page->used, true, at);
	look->rest = 0;
	while (at < DT_PAGE) {
		size_t n = page->bytes[at] == JUMP ? JUMP_SIZE : DT_PAGE - at;

		if (page->bytes[at] == INT3) {
			at++;
			continue;
		}
		if (n > DT_PAGE - at) {
			look->rest = n - (DT_PAGE - at);
			n = DT_PAGE - at;
		}
		memset(page->used + at, true, n);
		at += n;
	}
}

/* Take over a page of an earlier session. Return 0 or -ENOMEM. */
static int page_take_over(struct look *look, uint64_t addr)
{
	struct code_pages *pages = look->pages;
	struct code_page **more = dt_list_grow(pages->list, pages->n, sizeof(struct code_page *));
	struct code_page *page;

	if (!more)
		return -ENOMEM;
	pages->list = more;
	page = calloc(1, sizeof(*page));
	if (!page)
		return -ENOMEM;
	if (pread(look->memory, page->bytes, DT_PAGE, (off_t)addr) != (ssize_t)DT_PAGE) {
		free(page);
		return 0;
	}
	page->addr = addr;
	page->mapped = true;
	if (addr != look->end)
		look->rest = 0;
	if (page_has_cells(page)) {
		look->rest = 0;
		page_read_table(page);
	} else {
		page_read_jumps(look, page);
	}
	look->end = addr + DT_PAGE;
	more[pages->n++] = page;
	return 0;
}

/*
 * Take over the pages of a mapping, if dtrace has made it. A callback of dt_mappings(), which goes
 * by address.
 */
static int look_mapping(void *arg, const struct dt_mapping *map)
{
	struct look *look = arg;
	static const char path[] = "/memfd:" NAME;

	if (map->shared || strncmp(map->path, path, sizeof(path) - 1) != 0)
		return 0;
	for (uint64_t addr = map->start; addr < map->end && !look->error; addr += DT_PAGE)
		look->error = page_take_over(look, addr);
	return look->error;
}

/* Compare blocks by site, for qsort(). */
static int block_compare(const void *a, const void *b)
{
	const struct code_block *one = a, *two = b;

	if (one->site != two->site)
		return one->site < two->site ? -1 : 1;
	return one->addr < two->addr ? -1 : one->addr > two->addr;
}

/* List the blocks of all pages anew. Return 0 or -ENOMEM. */
static int blocks_list(struct code_pages *pages)
{
	struct code_block *found;
	size_t n = 0;

	for (size_t i = 0; i < pages->n; i++)
		n += pages->list[i]->blocks;
	found = reallocarray(pages->found, n + 1, sizeof(*found));
	if (!found)
		return -ENOMEM;
	pages->found = found;
	pages->nfound = 0;
	pages->written = false;
	for (size_t i = 0; i < pages->n; i++)
		for (size_t k = 0; k < pages->list[i]->blocks; k++) {
			const uint64_t entry = page_entry(pages->list[i], k);

			pages->found[pages->nfound++] = (struct code_block){
				.site = entry & ENTRY_SITE,
				.addr = pages->list[i]->addr + ENTRY_CELL(entry) * CODE_CELL};
		}
	qsort(pages->found, n, sizeof(*pages->found), block_compare);
	return 0;
}

int code_pages_begin(struct code_pages *pages, pid_t pid, int memory)
{
	struct look look = {.pages = pages, .memory = memory};

	if (!pages->looked) {
		dt_mappings(pid, look_mapping, &look);
		pages->looked = true;
		pages->written = true;
	}
	if (!look.error && pages->written)
		look.error = blocks_list(pages);
	if (!look.error)
		look.error = dt_space_read(&pages->space, pid);
	dt_space_growth(&pages->space, pid);
	return look.error;
}

uint64_t code_found(const struct code_pages *pages, uint64_t site, size_t i)
{
	const size_t until = dt_list_until(pages->found, pages->nfound, sizeof(*pages->found),
					   offsetof(struct code_block, site), site - 1);

	return i < pages->nfound - until && pages->found[until + i].site == site
		       ? pages->found[until + i].addr
		       : 0;
}

bool code_read(const struct code_pages *pages, uint64_t addr, void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct code_page *page = page_find(pages, addr + i);
		const size_t at = (addr + i) % DT_PAGE;

		if (!page || (page->next ? at < CODE_CELL || at >= page->next : !page->used[at]))
			return false;
		((uint8_t *)bytes)[i] = page->bytes[at];
	}
	return true;
}

void code_take(struct code_pages *pages, uint64_t addr)
{
	struct code_page *page = page_find(pages, addr);

	if (memcmp(page->bytes, &pages->hit, sizeof(pages->hit)) == 0)
		return;
	memcpy(page->bytes, &pages->hit, sizeof(pages->hit));
	page->changed = true;
}

/* ---- allocation ---- */

/*
 * Return whether bytes can be written at an address of a page: the bytes there are free, or equal.
 */
static bool page_takes(const struct code_page *page, uint64_t addr, const uint8_t *bytes, size_t n)
{
	const size_t at = addr - page->addr;

	for (size_t i = 0; i < n; i++)
		if (page->next || (page->used[at + i] && page->bytes[at + i] != bytes[i]))
			return false;
	return true;
}

/*
 * Return whether the bytes of a page from addr up to end are free, or a new page can be mapped
 * there.
 */
static bool page_is_possible(const struct code_pages *pages, uint64_t addr, uint64_t end)
{
	const struct code_page *page = page_find(pages, addr);

	if (!page)
		return dt_space_is_free(&pages->space, page_of(addr), page_of(addr) + DT_PAGE);
	for (uint64_t at = addr; at < end && at < page->addr + DT_PAGE; at++)
		if (page->next || page->used[at - page->addr])
			return false;
	return true;
}

bool code_is_possible(const struct code_pages *pages, uint64_t addr, size_t n)
{
	const uint64_t last = addr + n - 1;

	return page_is_possible(pages, addr, last + 1) &&
	       (page_of(last) == page_of(addr) || page_is_possible(pages, page_of(last), last + 1));
}

static void page_write(struct code_page *page, uint64_t addr, const void *bytes, size_t n)
{
	const size_t at = addr - page->addr;

	memcpy(page->bytes + at, bytes, n);
	memset(page->used + at, true, n);
	page->changed = true;
}

/*
 * Return the page of an address. If nothing is mapped there, make a page. Return NULL with *error
 * on failure.
 */
static struct code_page *page_get(struct code_pages *pages, uint64_t addr, int *error)
{
	const uint64_t at = page_of(addr);
	struct code_page *page = page_find(pages, addr);

	*error = -EEXIST;
	if (page || !dt_space_is_free(&pages->space, at, at + DT_PAGE))
		return page;
	*error = -ENOMEM;
	return page_add(pages, at);
}

int code_write_at(struct code_pages *pages, uint64_t addr, const void *bytes, size_t n)
{
	const uint64_t second = page_of(addr + n - 1);
	const size_t head = second == page_of(addr) ? n : second - addr;
	struct code_page *a, *b;
	int error;

	a = page_get(pages, addr, &error);
	if (!a)
		return error;
	b = head < n ? page_get(pages, second, &error) : a;
	if (!b)
		return error;
	if (!page_takes(a, addr, bytes, head) ||
	    (head < n && !page_takes(b, second, (const uint8_t *)bytes + head, n - head)))
		return -EEXIST;
	page_write(a, addr, bytes, head);
	if (head < n)
		page_write(b, second, (const uint8_t *)bytes + head, n - head);
	return 0;
}

/* Return the number of cells for n bytes. */
static size_t cells_for(size_t n)
{
	return (n + CODE_CELL - 1) / CODE_CELL;
}

/* Return the first cell for n bytes in a page, 0 if it has none. */
static uint64_t page_cell(const struct code_page *page, size_t n)
{
	return page->next && page->next + cells_for(n) * CODE_CELL <= cells_end(page->blocks + 1U)
		       ? page->addr + page->next
		       : 0;
}

uint64_t code_find(struct code_pages *pages, uint64_t near, uint64_t low, uint64_t high, size_t n)
{
	const uint64_t magic = CODE_MAGIC;
	struct code_page *page;
	uint64_t addr;

	for (size_t i = 0; i < pages->n; i++) {
		page = pages->list[i];
		if (page->addr >= low && page->addr + DT_PAGE <= high && page_cell(page, n))
			return page_cell(page, n);
	}
	addr = dt_space_near(&pages->space, near, low, high);
	page = addr ? page_add(pages, addr) : NULL;
	if (!page)
		return 0;
	memcpy(page->bytes, &pages->hit, sizeof(pages->hit));
	memcpy(page->bytes + sizeof(pages->hit), &magic, sizeof(magic));
	page->next = CODE_CELL;
	return page_cell(page, n);
}

uint64_t code_constant(uint64_t addr)
{
	return page_of(addr);
}

void code_write(struct code_pages *pages, uint64_t site, uint64_t addr, const void *bytes, size_t n)
{
	struct code_page *page = page_find(pages, addr);
	const uint64_t cells = cells_for(n);
	const uint64_t entry =
		(site & ENTRY_SITE) | (uint64_t)page->next / CODE_CELL << 48 | cells << 56;

	code_take(pages, addr);
	page_write(page, addr, bytes, n);
	page->next = (uint16_t)(page->next + cells * CODE_CELL);
	memcpy(page->bytes + cells_end(++page->blocks), &entry, sizeof(entry));
	pages->written = true;
}

/* ---- mapping ---- */

/* Return how many pages from the i-th on can share one mapping. */
static size_t run_length(const struct code_pages *pages, size_t i)
{
	const struct code_page *first = pages->list[i], *next;
	size_t n = 1;

	for (; i + n < pages->n; n++) {
		next = pages->list[i + n];
		if (!next->changed || next->mapped != first->mapped ||
		    next->addr != first->addr + n * DT_PAGE)
			break;
	}
	return n;
}

/*
 * Make a memory file of at most RUN changed pages from the i-th on. Set *end to the first page that
 * is not in the file. Return the descriptor, or a negative errno.
 */
static int pages_file(const struct code_pages *pages, size_t i, size_t *end)
{
	uint8_t *text = malloc(RUN * DT_PAGE);
	size_t n = 0;
	int fd;

	if (!text)
		return -ENOMEM;
	for (; i < pages->n && n < RUN; i++)
		if (pages->list[i]->changed)
			memcpy(text + DT_PAGE * n++, pages->list[i]->bytes, DT_PAGE);
	*end = i;
	fd = dt_memfile_code(NAME, text, n * DT_PAGE);
	free(text);
	return fd;
}

/* Mark n pages from the i-th on as mapped and unchanged. */
static void run_finish(struct code_pages *pages, size_t i, size_t n)
{
	for (size_t k = i; k < i + n; k++) {
		pages->list[k]->changed = false;
		pages->list[k]->mapped = true;
	}
}

/* Map the pages of a file. Return 0 or the first error. */
static int file_map(struct code_pages *pages, struct dt_remote *remote, int fd, size_t i,
		    size_t end)
{
	uint64_t offset = 0;
	int error = 0;
	size_t n = 1;

	for (; i < end; i += n) {
		const struct code_page *page = pages->list[i];
		int64_t rv;

		n = 1;
		if (!page->changed)
			continue;
		n = run_length(pages, i);
		if (n > end - i)
			n = end - i;
		rv = remote->ops->map(
			remote, page->addr, n * DT_PAGE, PROT_READ | PROT_EXEC,
			MAP_PRIVATE | (page->mapped ? MAP_FIXED : MAP_FIXED_NOREPLACE), fd, offset);
		if (rv >= 0 && (uint64_t)rv != page->addr) {
			/* Linux before 4.17 does not know MAP_FIXED_NOREPLACE. */
			remote->ops->unmap(remote, (uint64_t)rv, n * DT_PAGE);
			rv = -EEXIST;
		}
		if (rv >= 0)
			run_finish(pages, i, n);
		else if (!error)
			error = (int)rv;
		offset += n * DT_PAGE;
	}
	return error;
}

int code_pages_map(struct code_pages *pages, struct dt_remote *remote)
{
	int error = 0, rv, fd;
	size_t i = 0, end;

	while (i < pages->n) {
		if (!pages->list[i]->changed) {
			i++;
			continue;
		}
		fd = pages_file(pages, i, &end);
		if (fd < 0)
			return fd;
		rv = file_map(pages, remote, fd, i, end);
		close(fd);
		error = error ? error : rv;
		i = end;
	}
	for (i = pages->n; i-- > 0;)
		if (!pages->list[i]->mapped)
			page_drop(pages, i);
	return error;
}

bool code_is_mapped(const struct code_pages *pages, uint64_t addr)
{
	const struct code_page *page = page_find(pages, addr);

	return page && page->mapped && !page->changed;
}

void code_pages_free(struct code_pages *pages)
{
	for (size_t i = 0; i < pages->n; i++)
		free(pages->list[i]);
	free(pages->list);
	free(pages->found);
	dt_space_free(&pages->space);
	*pages = (struct code_pages){0};
}
