/* SPDX-License-Identifier: MIT */
/* @@needs: types */
/* The translators of packets: headers made by hand. */
#pragma D option quiet

this struct iphdr *ip;
this struct ipv6hdr *ip6;
this struct tcphdr *tcp;
this struct udphdr *udp;
this struct sk_buff *skb;

BEGIN
{
	this->ip = (struct iphdr *)alloca(sizeof (struct iphdr));
	*(uint8_t *)this->ip = 0x46;
	this->ip->tos = 3;
	this->ip->tot_len = htons(124);
	this->ip->id = htons(0x1234);
	this->ip->frag_off = htons(0x2007);
	this->ip->ttl = 64;
	this->ip->protocol = IPPROTO_TCP;
	this->ip->check = htons(0xabcd);
	this->ip->saddr = htonl(0x0a000001);
	this->ip->daddr = htonl(0x7f000001);
	printf("%d %d %s %s\n", xlate <ipinfo_t> (this->ip).ip_ver, xlate <ipinfo_t> (this->ip).ip_plength,
	    xlate <ipinfo_t> (this->ip).ip_saddr, xlate <ipinfo_t> (this->ip).ip_daddr);
	printf("%d %d %d %d %x\n", xlate <ipv4info_t> (this->ip).ipv4_ver, xlate <ipv4info_t> (this->ip).ipv4_ihl,
	    xlate <ipv4info_t> (this->ip).ipv4_tos, xlate <ipv4info_t> (this->ip).ipv4_length,
	    xlate <ipv4info_t> (this->ip).ipv4_ident);
	printf("%d %d %d %s %x\n", xlate <ipv4info_t> (this->ip).ipv4_flags == IPH_MF,
	    xlate <ipv4info_t> (this->ip).ipv4_offset, xlate <ipv4info_t> (this->ip).ipv4_ttl,
	    xlate <ipv4info_t> (this->ip).ipv4_protostr, xlate <ipv4info_t> (this->ip).ipv4_checksum);
	printf("%s %s %d\n", xlate <ipv4info_t> (this->ip).ipv4_saddr, xlate <ipv4info_t> (this->ip).ipv4_daddr,
	    xlate <ipv4info_t> (this->ip).ipv4_hdr == (void *)this->ip);
	printf("%s %d\n", xlate <ipv4info_t> ((struct iphdr *)NULL).ipv4_saddr,
	    xlate <ipv4info_t> ((struct iphdr *)NULL).ipv4_ttl);
	this->skb = (struct sk_buff *)alloca(sizeof (struct sk_buff));
	this->skb->head = (unsigned char *)this->ip - 14;
	this->skb->network_header = 14;
	printf("%d %d %s\n", xlate <ipinfo_t> (this->skb).ip_ver, xlate <ipinfo_t> (this->skb).ip_plength,
	    xlate <ipinfo_t> (this->skb).ip_saddr);
	printf("%d\n", xlate <pktinfo_t> (this->skb).pkt_addr == (uintptr_t)this->skb);
}

BEGIN
{
	this->ip6 = (struct ipv6hdr *)alloca(sizeof (struct ipv6hdr));
	*(uint32_t *)this->ip6 = htonl(0x6ab12345);
	this->ip6->payload_len = htons(77);
	this->ip6->nexthdr = IPPROTO_UDP;
	this->ip6->hop_limit = 9;
	*((uint16_t *)&this->ip6->saddr) = htons(0xfe80);
	*((uint8_t *)&this->ip6->saddr + 15) = 1;
	*((uint8_t *)&this->ip6->daddr + 15) = 2;
	printf("%d %x %x %d\n", xlate <ipv6info_t> (this->ip6).ipv6_ver, xlate <ipv6info_t> (this->ip6).ipv6_tclass,
	    xlate <ipv6info_t> (this->ip6).ipv6_flow, xlate <ipv6info_t> (this->ip6).ipv6_plen);
	printf("%s %d %s %s\n", xlate <ipv6info_t> (this->ip6).ipv6_nextstr, xlate <ipv6info_t> (this->ip6).ipv6_hlim,
	    xlate <ipv6info_t> (this->ip6).ipv6_saddr, xlate <ipv6info_t> (this->ip6).ipv6_daddr);
	this->skb = (struct sk_buff *)alloca(sizeof (struct sk_buff));
	this->skb->head = (unsigned char *)this->ip6;
	printf("%d %d %s %s\n", xlate <ipinfo_t> (this->skb).ip_ver, xlate <ipinfo_t> (this->skb).ip_plength,
	    xlate <ipinfo_t> (this->skb).ip_saddr, xlate <ipinfo_t> (this->skb).ip_daddr);
}

BEGIN
{
	this->tcp = (struct tcphdr *)alloca(sizeof (struct tcphdr));
	this->tcp->source = htons(80);
	this->tcp->dest = htons(1025);
	this->tcp->seq = htonl(0x12345678);
	this->tcp->ack_seq = htonl(2);
	this->tcp->doff = 5;
	this->tcp->syn = 1;
	this->tcp->ack = 1;
	this->tcp->window = htons(512);
	this->tcp->urg_ptr = htons(3);
	printf("%d %d %x %d\n", xlate <tcpinfo_t> (this->tcp).tcp_sport, xlate <tcpinfo_t> (this->tcp).tcp_dport,
	    xlate <tcpinfo_t> (this->tcp).tcp_seq, xlate <tcpinfo_t> (this->tcp).tcp_ack);
	printf("%d %d %d %d\n", xlate <tcpinfo_t> (this->tcp).tcp_offset,
	    xlate <tcpinfo_t> (this->tcp).tcp_flags == (TH_SYN | TH_ACK),
	    xlate <tcpinfo_t> (this->tcp).tcp_window, xlate <tcpinfo_t> (this->tcp).tcp_urgent);
	this->udp = (struct udphdr *)alloca(sizeof (struct udphdr));
	this->udp->source = htons(53);
	this->udp->dest = htons(5353);
	this->udp->len = htons(20);
	this->udp->check = htons(7);
	printf("%d %d %d %d\n", xlate <udpinfo_t> (this->udp).udp_sport, xlate <udpinfo_t> (this->udp).udp_dport,
	    xlate <udpinfo_t> (this->udp).udp_length, xlate <udpinfo_t> (this->udp).udp_checksum);
	printf("%s %s\n", tcp_state_string[xlate <tcplsinfo_t> (10).tcps_state], tcp_state_string[TCP_STATE_FIN_WAIT_2]);
	exit(0);
}
