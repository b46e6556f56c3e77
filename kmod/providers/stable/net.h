/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * net.h - what the providers ip, tcp and udp share: packets as they are before the IP header is
 * written, or after.
 *
 * All functions here are called in probe context, about a packet that the kernel is handling.
 */
#ifndef DTRACE_PROVIDERS_NET_H
#define DTRACE_PROVIDERS_NET_H

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/types.h>
#include <net/ipv6.h>
#include <net/sock.h>

#define NET_PKTINFO "struct sk_buff *", "pktinfo_t *"
#define NET_CSINFO  "struct sock *", "csinfo_t *"
#define NET_IPINFO  "dtrace_ip_t *", "ipinfo_t *"

/* The source of ipinfo_t: dtrace_ip_t of ip.d has the same layout. */
struct net_ip {
	uint32_t version; /* 4 or 6 */
	uint32_t plength; /* bytes after the header */
	const void *saddr;
	const void *daddr;
};

/* Describe a packet by its IP header, which has all but the length. */
static __always_inline struct net_ip net_ip_of(const struct sk_buff *skb, uint32_t plength)
{
	const struct iphdr *ip = ip_hdr(skb);
	const struct ipv6hdr *ip6 = ipv6_hdr(skb);

	if (ip->version == 4)
		return (struct net_ip){4, plength, &ip->saddr, &ip->daddr};
	return (struct net_ip){6, plength, &ip6->saddr, &ip6->daddr};
}

/*
 * Describe a packet that has come: its IP header is complete. The length there is 0 if the kernel
 * has merged more than 65,535 bytes.
 */
static __always_inline struct net_ip net_ip_received(const struct sk_buff *skb)
{
	const struct iphdr *ip = ip_hdr(skb);
	bool v4 = ip->version == 4;
	uint32_t header = v4 ? ip->ihl * 4U : (uint32_t)sizeof(struct ipv6hdr);
	uint32_t told = v4 ? ntohs(ip->tot_len) : ntohs(ipv6_hdr(skb)->payload_len);

	if (!told)
		return net_ip_of(skb, skb->len - (uint32_t)skb_network_offset(skb) - header);
	return net_ip_of(skb, v4 ? told - header : told);
}

/* Describe a packet whose IP header is there, and begins its data, but has no length yet. */
static __always_inline struct net_ip net_ip_sent(const struct sk_buff *skb)
{
	const struct iphdr *ip = ip_hdr(skb);
	unsigned int header =
		ip->version == 4 ? ip->ihl * 4U : (unsigned int)sizeof(struct ipv6hdr);

	return net_ip_of(skb, skb->len - header);
}

#endif
