/* SPDX-License-Identifier: MIT */
/*
 * bytes.h - a run of bytes that grows at its end: texts, strings tables and sections are put
 * together in one.
 *
 * A failed allocation is remembered in `failed`; what follows is then without effect. So a maker of
 * bytes asks once, at the end.
 */
#ifndef DT_USDT_BYTES_H
#define DT_USDT_BYTES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct bytes {
	char *data;
	size_t len;
	size_t capacity;
	bool failed;
};

/*
 * bytes_add - append len bytes of data, or zeros if data is NULL; returns the offset at which they
 * are.
 */
size_t bytes_add(struct bytes *b, const void *data, size_t len);
/* bytes_string - append a string with its NUL; returns its offset. */
size_t bytes_string(struct bytes *b, const char *s);
/*
 * bytes_printf, bytes_vprintf - append formatted text, without its NUL (but data is NUL-terminated
 * after it).
 */
void bytes_printf(struct bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bytes_vprintf(struct bytes *b, const char *format, va_list args);
/* bytes_align - append zeros until the length is a multiple of align, a power of two. */
void bytes_align(struct bytes *b, size_t align);
/* bytes_free - give up the memory; the object is empty then and may be used again. */
void bytes_free(struct bytes *b);

/*
 * array_grow - capacity for one more element in an array of count elements of the given size that grows
 * by doubling. Returns the array, perhaps moved; NULL when there is no memory (the old one is then
 * still valid).
 */
void *array_grow(void *array, size_t count, size_t size);

#endif
