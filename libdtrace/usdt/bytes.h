/* SPDX-License-Identifier: MIT */
/*
 * bytes.h - a byte buffer that grows at its end, for texts, string tables and sections.
 *
 * A failed allocation sets `failed`, and later calls have no effect. Thus callers check once, at
 * the end.
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

/* Append len bytes of data, or zeros if data is NULL. Return their offset. */
size_t bytes_add(struct bytes *b, const void *data, size_t len);
/* Append a string with its NUL. Return its offset. */
size_t bytes_string(struct bytes *b, const char *s);
/* Append formatted text. The NUL after it is not part of the length. */
void bytes_printf(struct bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Append formatted text, with the arguments as a va_list. */
void bytes_vprintf(struct bytes *b, const char *format, va_list args);
/* Append zeros until the length is a multiple of align, a power of two. */
void bytes_align(struct bytes *b, size_t align);
/* Free the memory. The buffer is then empty and may be used again. */
void bytes_free(struct bytes *b);

/*
 * Return an array of count elements with capacity for one more; it grows by doubling. size is that
 * of an element. The array may move. Return NULL if there is no memory; the old array then remains
 * valid.
 */
void *array_grow(void *array, size_t count, size_t size);

#endif
