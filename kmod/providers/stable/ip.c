// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ip.c - the ip provider: packets of IP versions 4 and 6 are sent and received.
 */
#include <linux/netdevice.h>

#include "net.h"
#include "stable.h"

/* Fire for a packet that has a complete header of one of both versions. */
static notrace void ip_fire(const struct stable_trigger *t, struct pt_regs *regs,
			    const struct sk_buff *skb)
{
	bool v4 = ip_hdr(skb)->version == 4;

	stable_fire(t, regs, (uintptr_t)skb, (uintptr_t)skb->sk, (uintptr_t)skb->dev,
		    v4 ? (uintptr_t)ip_hdr(skb) : 0, v4 ? 0 : (uintptr_t)ipv6_hdr(skb));
}

/* Fire at ip_finish_output(net, sk, skb) and ip6_finish_output, before fragmentation. */
static notrace void ip_sent(const struct stable_trigger *t, struct pt_regs *regs)
{
	ip_fire(t, regs, (const struct sk_buff *)regs->dx);
}

/* Fire at ip_local_deliver(skb), ip6_input, ip_forward and ip6_forward, before reassembly. */
static notrace void ip_received(const struct stable_trigger *t, struct pt_regs *regs)
{
	ip_fire(t, regs, (const struct sk_buff *)regs->di);
}

#define IP_ARGS                                                                           \
	{                                                                                 \
		{NET_PKTINFO, 0}, {NET_CSINFO, 1}, {"struct sk_buff *", "ipinfo_t *", 0}, \
			{"struct net_device *", "ifinfo_t *", 2},                         \
			{"struct iphdr *", "ipv4info_t *", 3},                            \
			{"struct ipv6hdr *", "ipv6info_t *", 4},                          \
	}

static struct stable_probe ip_probes[] = {
	{"send", IP_ARGS},
	{"receive", IP_ARGS},
};

static struct stable_trigger ip_triggers[] = {
	STABLE_ENTERED("send", "ip_finish_output", ip_sent),
	STABLE_ENTERED("send", "ip6_finish_output", ip_sent),
	STABLE_ENTERED("receive", "ip_local_deliver", ip_received),
	STABLE_ENTERED("receive", "ip6_input", ip_received),
	STABLE_ENTERED("receive", "ip_forward", ip_received),
	STABLE_ENTERED("receive", "ip6_forward", ip_received),
};

struct stable_provider ip_provider = {
	.name = "ip",
	.probes = ip_probes,
	.nprobes = ARRAY_SIZE(ip_probes),
	.triggers = ip_triggers,
	.ntriggers = ARRAY_SIZE(ip_triggers),
};
