// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * tcp_data.c - probes of the provider mib for the segments and bytes of data that TCP sends and
 * gets, of which Linux has no counters: arg0 is how many, arg2 the network namespace.
 *
 * Data that is sent has no IP header yet. Data that arrives is judged by the number that its socket
 * expects next, before the socket takes it.
 */
#include <linux/in.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "stable.h"

/* The counts of a segment with data. */
struct tcp_data {
	const struct sock *sk;
	uint32_t segments; /* that it will be cut into, or has been merged of */
	uint32_t bytes;
	int32_t known; /* bytes from its beginning that precede the expected ones */
};

/* Describe the data behind the TCP header th of a packet. Return whether there is any. */
static notrace bool tcp_data_of(struct tcp_data *d, const struct sock *sk,
				const struct sk_buff *skb, const struct tcphdr *th, uint32_t next)
{
	uint32_t header = th->doff * 4U;

	d->sk = sk;
	d->segments = max_t(uint32_t, 1, skb_shinfo(skb)->gso_segs);
	d->bytes = skb->len - header;
	d->known = (int32_t)(next - ntohl(th->seq));
	return skb->len > header;
}

static notrace void tcp_data_fire(const struct stable_trigger *t, struct pt_regs *regs,
				  const struct tcp_data *d, uint64_t n)
{
	stable_fire(t, regs, n, 0, (uintptr_t)sock_net(d->sk));
}

/* ---- sent ---- */

/*
 * Describe the data sent by ip_queue_xmit(sk, skb, ...) and ip6_xmit: of a full socket, or of the
 * kernel itself.
 */
static notrace bool tcp_data_sent(struct tcp_data *d, struct pt_regs *regs)
{
	const struct sock *sk = (const struct sock *)regs->di;
	const struct sk_buff *skb = (const struct sk_buff *)regs->si;

	return sk->sk_protocol == IPPROTO_TCP && sk_fullsock(sk) && sk->sk_type != SOCK_RAW &&
	       tcp_data_of(d, sk, skb, (const struct tcphdr *)skb->data, tcp_sk(sk)->snd_nxt);
}

static notrace void tcp_data_sent_segments(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct tcp_data d;

	if (tcp_data_sent(&d, regs) && d.known <= 0)
		tcp_data_fire(t, regs, &d, d.segments);
}

static notrace void tcp_data_sent_bytes(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct tcp_data d;

	if (tcp_data_sent(&d, regs) && d.known <= 0)
		tcp_data_fire(t, regs, &d, d.bytes);
}

static notrace void tcp_data_again_bytes(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct tcp_data d;

	if (tcp_data_sent(&d, regs) && d.known > 0)
		tcp_data_fire(t, regs, &d, d.bytes);
}

/* ---- received ---- */

/*
 * Describe the data received by tcp_rcv_established(sk, skb), and in other states by
 * tcp_rcv_state_process.
 */
static notrace bool tcp_data_got(struct tcp_data *d, struct pt_regs *regs)
{
	const struct sock *sk = (const struct sock *)regs->di;
	const struct sk_buff *skb = (const struct sk_buff *)regs->si;
	int state = sk->__sk_common.skc_state;

	return state != TCP_LISTEN && state != TCP_SYN_SENT && state != TCP_CLOSE &&
	       tcp_data_of(d, sk, skb, tcp_hdr(skb), tcp_sk(sk)->rcv_nxt);
}

static notrace bool tcp_data_is_next(const struct tcp_data *d)
{
	return d->known >= 0 && d->known < (int64_t)d->bytes;
}

static notrace void tcp_data_next_segments(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct tcp_data d;

	if (tcp_data_got(&d, regs) && tcp_data_is_next(&d))
		tcp_data_fire(t, regs, &d, d.segments);
}

static notrace void tcp_data_next_bytes(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct tcp_data d;

	if (tcp_data_got(&d, regs) && tcp_data_is_next(&d))
		tcp_data_fire(t, regs, &d, d.bytes - (uint32_t)d.known);
}

static notrace void tcp_data_later_segments(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct tcp_data d;

	if (tcp_data_got(&d, regs) && d.known < 0)
		tcp_data_fire(t, regs, &d, d.segments);
}

static notrace void tcp_data_later_bytes(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct tcp_data d;

	if (tcp_data_got(&d, regs) && d.known < 0)
		tcp_data_fire(t, regs, &d, d.bytes);
}

static notrace void tcp_data_known_segments(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct tcp_data d;

	if (tcp_data_got(&d, regs) && d.known >= (int64_t)d.bytes)
		tcp_data_fire(t, regs, &d, d.segments);
}

static notrace void tcp_data_known_bytes(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct tcp_data d;

	if (tcp_data_got(&d, regs) && d.known >= (int64_t)d.bytes)
		tcp_data_fire(t, regs, &d, d.bytes);
}

static notrace void tcp_data_partly_segments(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct tcp_data d;

	if (tcp_data_got(&d, regs) && tcp_data_is_next(&d) && d.known)
		tcp_data_fire(t, regs, &d, d.segments);
}

static notrace void tcp_data_partly_bytes(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct tcp_data d;

	if (tcp_data_got(&d, regs) && tcp_data_is_next(&d) && d.known)
		tcp_data_fire(t, regs, &d, (uint32_t)d.known);
}

/* ---- tables ---- */

#define TCP_DATA_ARGS                                          \
	{                                                      \
		{"int64_t", NULL, 0}, {"uint64_t *", NULL, 1}, \
		{                                              \
			"struct net *", NULL, 2                \
		}                                              \
	}

static struct stable_probe tcp_data_probes[] = {
	{"tcpOutDataSegs", TCP_DATA_ARGS},	  {"tcpOutDataBytes", TCP_DATA_ARGS},
	{"tcpRetransBytes", TCP_DATA_ARGS},	  {"tcpInDataInorderSegs", TCP_DATA_ARGS},
	{"tcpInDataInorderBytes", TCP_DATA_ARGS}, {"tcpInDataUnorderSegs", TCP_DATA_ARGS},
	{"tcpInDataUnorderBytes", TCP_DATA_ARGS}, {"tcpInDataDupSegs", TCP_DATA_ARGS},
	{"tcpInDataDupBytes", TCP_DATA_ARGS},	  {"tcpInDataPartDupSegs", TCP_DATA_ARGS},
	{"tcpInDataPartDupBytes", TCP_DATA_ARGS},
};

#define TCP_DATA_SENT(probe, handler) \
	STABLE_ENTERED(probe, "ip_queue_xmit", handler), STABLE_ENTERED(probe, "ip6_xmit", handler)
#define TCP_DATA_GOT(probe, handler)                           \
	STABLE_ENTERED(probe, "tcp_rcv_established", handler), \
		STABLE_ENTERED(probe, "tcp_rcv_state_process", handler)

static struct stable_trigger tcp_data_triggers[] = {
	TCP_DATA_SENT("tcpOutDataSegs", tcp_data_sent_segments),
	TCP_DATA_SENT("tcpOutDataBytes", tcp_data_sent_bytes),
	TCP_DATA_SENT("tcpRetransBytes", tcp_data_again_bytes),
	TCP_DATA_GOT("tcpInDataInorderSegs", tcp_data_next_segments),
	TCP_DATA_GOT("tcpInDataInorderBytes", tcp_data_next_bytes),
	TCP_DATA_GOT("tcpInDataUnorderSegs", tcp_data_later_segments),
	TCP_DATA_GOT("tcpInDataUnorderBytes", tcp_data_later_bytes),
	TCP_DATA_GOT("tcpInDataDupSegs", tcp_data_known_segments),
	TCP_DATA_GOT("tcpInDataDupBytes", tcp_data_known_bytes),
	TCP_DATA_GOT("tcpInDataPartDupSegs", tcp_data_partly_segments),
	TCP_DATA_GOT("tcpInDataPartDupBytes", tcp_data_partly_bytes),
};

struct stable_provider tcp_data_provider = {
	.name = "mib",
	.more = true,
	.probes = tcp_data_probes,
	.nprobes = ARRAY_SIZE(tcp_data_probes),
	.triggers = tcp_data_triggers,
	.ntriggers = ARRAY_SIZE(tcp_data_triggers),
};
