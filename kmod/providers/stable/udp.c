// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * udp.c - the udp provider: datagrams are sent and received.
 */
#include <linux/in.h>
#include <linux/udp.h>

#include "net.h"
#include "stable.h"

static notrace void udp_fire_sent(const struct stable_trigger *t, struct pt_regs *regs,
				  struct sk_buff *skb)
{
	struct sock *sk = skb->sk;
	struct net_ip ip;

	if (!sk || sk->sk_protocol != IPPROTO_UDP)
		return;
	ip = net_ip_sent(skb);
	stable_fire(t, regs, (uintptr_t)skb, (uintptr_t)sk, (uintptr_t)&ip,
		    (uintptr_t)udp_hdr(skb));
}

/*
 * Fire at ip_send_skb(net, skb), which raw sockets and ICMP use too. The lengths of IP are not
 * written yet.
 */
static notrace void udp_send4(const struct stable_trigger *t, struct pt_regs *regs)
{
	udp_fire_sent(t, regs, (struct sk_buff *)regs->si);
}

/* Fire at ip6_send_skb(skb). */
static notrace void udp_send6(const struct stable_trigger *t, struct pt_regs *regs)
{
	udp_fire_sent(t, regs, (struct sk_buff *)regs->di);
}

/* Fire at udp_queue_rcv_skb(sk, skb) and udpv6_queue_rcv_skb: there is a socket for a datagram. */
static notrace void udp_receive(const struct stable_trigger *t, struct pt_regs *regs)
{
	const struct sock *sk = (const struct sock *)regs->di;
	const struct sk_buff *skb = (const struct sk_buff *)regs->si;
	struct net_ip ip;

	if (sk->sk_protocol != IPPROTO_UDP)
		return;
	ip = net_ip_received(skb);
	stable_fire(t, regs, (uintptr_t)skb, (uintptr_t)sk, (uintptr_t)&ip,
		    (uintptr_t)udp_hdr(skb));
}

#define UDP_ARGS                                                    \
	{                                                           \
		{NET_PKTINFO, 0}, {NET_CSINFO, 1}, {NET_IPINFO, 2}, \
			{"struct sock *", "udpsinfo_t *", 1},       \
			{"struct udphdr *", "udpinfo_t *", 3},      \
	}

static struct stable_probe udp_probes[] = {
	{"send", UDP_ARGS},
	{"receive", UDP_ARGS},
};

static struct stable_trigger udp_triggers[] = {
	STABLE_ENTERED("send", "ip_send_skb", udp_send4),
	STABLE_ENTERED("send", "ip6_send_skb", udp_send6),
	STABLE_ENTERED("receive", "udp_queue_rcv_skb", udp_receive),
	STABLE_ENTERED("receive", "udpv6_queue_rcv_skb", udp_receive),
};

struct stable_provider udp_provider = {
	.name = "udp",
	.probes = udp_probes,
	.nprobes = ARRAY_SIZE(udp_probes),
	.triggers = udp_triggers,
	.ntriggers = ARRAY_SIZE(udp_triggers),
};
