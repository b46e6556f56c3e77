/* SPDX-License-Identifier: MIT */
/*
 * libc.c - the functions of libc that the engine uses. None uses a string instruction or a vector
 * register: see hit.S.
 */
#include "port_agent.h"

void *memcpy(void *restrict dst, const void *restrict src, size_t n)
{
	char *d = dst;
	const char *s = src;

	for (; n >= 8; n -= 8, d += 8, s += 8) {
		uint64_t word;

		__builtin_memcpy(&word, s, 8);
		__builtin_memcpy(d, &word, 8);
	}
	while (n--)
		*d++ = *s++;
	return dst;
}

void *memmove(void *dst, const void *src, size_t n)
{
	char *d = dst;
	const char *s = src;

	if ((uintptr_t)d - (uintptr_t)s >= n)
		return memcpy(dst, src, n);
	while (n--)
		d[n] = s[n];
	return dst;
}

void *memset(void *dst, int c, size_t n)
{
	uint64_t word = 0x0101010101010101ULL * (unsigned char)c;
	char *d = dst;

	for (; n >= 8; n -= 8, d += 8)
		__builtin_memcpy(d, &word, 8);
	while (n--)
		*d++ = (char)c;
	return dst;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (; n; n--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

size_t strlen(const char *s)
{
	const char *end = s;

	while (*end)
		end++;
	return (size_t)(end - s);
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n && *a && *a == *b; n--)
		a++, b++;
	return n ? (unsigned char)*a - (unsigned char)*b : 0;
}

char *strchr(const char *s, int c)
{
	for (; *s != (char)c; s++)
		if (!*s)
			return NULL;
	return (char *)s;
}

/* ---- snprintf ---- */

struct text {
	char *buf;
	size_t size, n;
};

static void put(struct text *t, char c)
{
	if (t->n + 1 < t->size)
		t->buf[t->n] = c;
	t->n++;
}

/* Write a number with at least width digits, filled with zeros. */
static void put_number(struct text *t, uint64_t value, unsigned int base, unsigned int width)
{
	char digits[20];
	unsigned int n = 0;

	do
		digits[n++] = "0123456789abcdef"[value % base];
	while ((value /= base) || n < width);
	while (n)
		put(t, digits[--n]);
}

/* Take the next argument as an integer. longs: the number of l in its conversion. */
static uint64_t take(va_list *args, bool is_signed, unsigned int longs)
{
	if (longs)
		return va_arg(*args, uint64_t);
	return is_signed ? (uint64_t)(int64_t)va_arg(*args, int) : va_arg(*args, unsigned int);
}

/* Write one conversion. f: after its %. Return its end. */
static const char *put_conversion(struct text *t, const char *f, va_list *args)
{
	unsigned int width = 0, longs = 0;
	const char *s;
	int64_t value;
	bool alternative = *f == '#';

	f += alternative;
	while (*f >= '0' && *f <= '9' && width < sizeof("18446744073709551615") - 2)
		width = width * 10 + (unsigned int)(*f++ - '0');
	for (; *f == 'l' || *f == 'z' || *f == 'j'; f++)
		longs++;
	switch (*f) {
	case 'd':
	case 'i':
		value = (int64_t)take(args, true, longs);
		if (value < 0)
			put(t, '-');
		put_number(t, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, width);
		break;
	case 'u':
		put_number(t, take(args, false, longs), 10, width);
		break;
	case 'x':
		if (alternative) {
			put(t, '0');
			put(t, 'x');
		}
		put_number(t, take(args, false, longs), 16, width);
		break;
	case 'c':
		put(t, (char)va_arg(*args, int));
		break;
	case 's':
		for (s = va_arg(*args, const char *); *s; s++)
			put(t, *s);
		break;
	default:
		put(t, *f);
		break;
	}
	return *f ? f + 1 : f;
}

/*
 * Supported conversions, as the engine's messages need them: d i u x c s %, with l, z, j, # and a
 * width of digits.
 */
int snprintf(char *buf, size_t size, const char *format, ...)
{
	struct text t = {buf, size, 0};
	va_list args;

	va_start(args, format);
	while (*format) {
		if (*format != '%')
			put(&t, *format++);
		else
			format = put_conversion(&t, format + 1, &args);
	}
	va_end(args);
	if (size)
		buf[t.n < size ? t.n : size - 1] = '\0';
	return (int)t.n;
}
