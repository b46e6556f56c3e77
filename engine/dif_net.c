/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* dif_net.c - subroutines that write network addresses as text. */
#include "dif_subr.h"

#define SUBR_ADDR_WORK 64 /* units of work to write an address */

/* Write a number of at most three digits. Return the number of digits. */
static size_t subr_put_decimal(char *out, unsigned int n)
{
	size_t len = 0;

	if (n >= 100)
		out[len++] = (char)('0' + n / 100);
	if (n >= 10)
		out[len++] = (char)('0' + n / 10 % 10);
	out[len++] = (char)('0' + n % 10);
	return len;
}

/* Write an IPv4 address. Return its length. */
static size_t subr_put_ipv4(char *out, const uint8_t *a)
{
	size_t n = 0;

	for (int i = 0; i < 4; i++) {
		if (i)
			out[n++] = '.';
		n += subr_put_decimal(out + n, a[i]);
	}
	return n;
}

/* Write a group of an IPv6 address. Return its length. */
static size_t subr_put_hex(char *out, unsigned int v)
{
	size_t n = 0;

	for (int shift = 12; shift >= 0; shift -= 4)
		if (v >> shift || !shift)
			out[n++] = "0123456789abcdef"[v >> shift & 15];
	return n;
}

/* Find the longest run of zero groups, the first of several: where it begins, and its length. */
static int subr_zero_run(const uint16_t *g, int *len)
{
	int best = -1;

	*len = 0;
	for (int i = 0; i < 8; i++) {
		int n = 0;

		while (i + n < 8 && !g[i + n])
			n++;
		if (n > *len) {
			best = i;
			*len = n;
		}
	}
	return best;
}

/*
 * Write an IPv6 address. One run of zeros becomes "::", even of one group unless that is the last;
 * IPv4 addresses in it are written with dots. prefix: also write the part before an IPv4 address.
 */
static size_t subr_put_ipv6(char *out, const uint8_t *a, bool prefix)
{
	uint16_t g[8];
	int zero, len;
	size_t n = 0;

	for (int i = 0; i < 8; i++)
		g[i] = (uint16_t)(a[2 * i] << 8 | a[2 * i + 1]);
	zero = subr_zero_run(g, &len);
	if (zero == 0 && (len == 6 || (len == 5 && g[5] == 0xffff))) {
		if (prefix) {
			n = len == 6 ? 2 : 7;
			memcpy(out, "::ffff:", n);
		}
		return n + subr_put_ipv4(out + n, a + 12);
	}
	if (zero == 7)
		zero = -1;
	for (int i = 0; i < 8; i++) {
		if (i == zero) {
			out[n++] = ':';
			i += len - 1;
			if (i == 7)
				out[n++] = ':';
			continue;
		}
		if (i)
			out[n++] = ':';
		n += subr_put_hex(out + n, g[i]);
	}
	return n;
}

static uint64_t subr_inet4(struct mstate *m, unsigned int n)
{
	uint8_t a[4];
	char out[16];

	if (!dif_charge(m, SUBR_ADDR_WORK) || !mem_load(m, a, arg(m, n), sizeof(a)))
		return 0;
	return subr_put(m, out, subr_put_ipv4(out, a));
}

static uint64_t subr_inet6(struct mstate *m, unsigned int n, bool prefix)
{
	uint8_t a[16];
	char out[64];

	if (!dif_charge(m, SUBR_ADDR_WORK) || !mem_load(m, a, arg(m, n), sizeof(a)))
		return 0;
	return subr_put(m, out, subr_put_ipv6(out, a, prefix));
}

uint64_t subr_inet_ntoa(struct mstate *m)
{
	return subr_inet4(m, 0);
}

uint64_t subr_inet_ntoa6(struct mstate *m)
{
	return subr_inet6(m, 0, false);
}

uint64_t subr_inet_ntop(struct mstate *m)
{
	enum { AF_INET4 = 2, AF_INET6_LINUX = 10 };
	int family = (int)arg(m, 0);

	if (family == AF_INET4)
		return subr_inet4(m, 1);
	if (family == AF_INET6_LINUX)
		return subr_inet6(m, 1, true);
	dif_fault(m, DTRACEFLT_ILLOP, 0);
	return 0;
}

/*
 * Return the bytes of a hardware address by the kernel's number of its kind; 0: the kind is unknown
 * here.
 */
static size_t subr_link_bytes(uint64_t kind)
{
	enum { LINK_ETHER = 1, LINK_INFINIBAND = 32 };

	return kind == LINK_ETHER ? 6 : kind == LINK_INFINIBAND ? 20 : 0;
}

uint64_t subr_link_ntop(struct mstate *m)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t n = subr_link_bytes(arg(m, 0)), len = 0;
	uint8_t a[20];
	char out[64];

	if (!n)
		dif_fault(m, DTRACEFLT_ILLOP, 0);
	if (!n || !dif_charge(m, SUBR_ADDR_WORK) || !mem_load(m, a, arg(m, 1), n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (i)
			out[len++] = ':';
		out[len++] = digits[a[i] >> 4];
		out[len++] = digits[a[i] & 15];
	}
	return subr_put(m, out, len);
}
