/* SPDX-License-Identifier: MIT */
/* bytes.c - a byte buffer that grows at its end. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bytes.h"

/* Reserve capacity for len more bytes and a NUL. */
static bool bytes_reserve(struct bytes *b, size_t len)
{
	size_t capacity = b->capacity ? b->capacity : 256;
	char *data;

	if (b->failed)
		return false;
	while (capacity - b->len <= len) {
		if (capacity > SIZE_MAX / 2) {
			b->failed = true;
			return false;
		}
		capacity *= 2;
	}
	if (capacity == b->capacity)
		return true;
	data = realloc(b->data, capacity);
	b->failed = !data;
	if (data) {
		b->data = data;
		b->capacity = capacity;
	}
	return data;
}

size_t bytes_add(struct bytes *b, const void *data, size_t len)
{
	size_t at = b->len;

	if (!bytes_reserve(b, len))
		return at;
	if (len && data)
		memcpy(b->data + at, data, len);
	else if (len)
		memset(b->data + at, 0, len);
	b->len += len;
	b->data[b->len] = '\0';
	return at;
}

size_t bytes_string(struct bytes *b, const char *s)
{
	return bytes_add(b, s, strlen(s) + 1);
}

void bytes_vprintf(struct bytes *b, const char *format, va_list args)
{
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (len < 0)
		b->failed = true;
	else if (bytes_reserve(b, (size_t)len)) {
		vsnprintf(b->data + b->len, (size_t)len + 1, format, args);
		b->len += (size_t)len;
	}
}

void bytes_printf(struct bytes *b, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	bytes_vprintf(b, format, args);
	va_end(args);
}

void bytes_align(struct bytes *b, size_t align)
{
	bytes_add(b, NULL, -b->len & (align - 1));
}

void bytes_free(struct bytes *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}

void *array_grow(void *array, size_t count, size_t size)
{
	if (count && (count & (count - 1)))
		return array;
	return reallocarray(array, count ? count * 2 : 1, size);
}
