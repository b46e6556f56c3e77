/* SPDX-License-Identifier: MIT */
/* ip.d - packets of IP versions 4 and 6: ipinfo_t, ipv4info_t, ipv6info_t, and ifinfo_t of the interface. */
#pragma D depends_on library net.d

inline int IPPROTO_IP = 0;
inline int IPPROTO_HOPOPTS = 0;
inline int IPPROTO_ICMP = 1;
inline int IPPROTO_IGMP = 2;
inline int IPPROTO_GGP = 3;
inline int IPPROTO_ENCAP = 4;
inline int IPPROTO_TCP = 6;
inline int IPPROTO_EGP = 8;
inline int IPPROTO_PUP = 12;
inline int IPPROTO_UDP = 17;
inline int IPPROTO_IDP = 22;
inline int IPPROTO_IPV6 = 41;
inline int IPPROTO_ROUTING = 43;
inline int IPPROTO_FRAGMENT = 44;
inline int IPPROTO_RSVP = 46;
inline int IPPROTO_ESP = 50;
inline int IPPROTO_AH = 51;
inline int IPPROTO_ICMPV6 = 58;
inline int IPPROTO_NONE = 59;
inline int IPPROTO_DSTOPTS = 60;
inline int IPPROTO_OSPF = 89;
inline int IPPROTO_PIM = 103;
inline int IPPROTO_SCTP = 132;
inline int IPPROTO_RAW = 255;

/* ipv4_flags and ipv4_offset are apart; these are the flags. */
inline int IPH_DF = 0x2;		/* do not fragment */
inline int IPH_MF = 0x1;		/* more fragments follow */

typedef struct ipinfo {
	uint8_t ip_ver;			/* 4 or 6 */
	uint32_t ip_plength;		/* bytes after the header */
	string ip_saddr;		/* source */
	string ip_daddr;		/* destination */
} ipinfo_t;

translator ipinfo_t < struct iphdr *I > {
	ip_ver = I->version;
	ip_plength = ntohs(I->tot_len) - I->ihl * 4;
	ip_saddr = inet_ntoa((ipaddr_t *)&I->saddr);
	ip_daddr = inet_ntoa((ipaddr_t *)&I->daddr);
};

translator ipinfo_t < struct ipv6hdr *I > {
	ip_ver = I->version;
	ip_plength = ntohs(I->payload_len);
	ip_saddr = inet_ntoa6(&I->saddr);
	ip_daddr = inet_ntoa6(&I->daddr);
};

/* The version, and the header of either version, of the packet at s. */
inline uintptr_t ip_header_of[uintptr_t s] =
    (uintptr_t)((struct sk_buff *)s)->head + ((struct sk_buff *)s)->network_header;
inline uint8_t ip_version_at[uintptr_t h] = *(uint8_t *)h >> 4;

/*
 * Bytes of the packet at s from its header at h on. The length in the header is 0 if the packet,
 * which is split later, has more than 65,535 bytes.
 */
inline uint32_t ip_bytes_at[uintptr_t s, uintptr_t h] =
    (uint32_t)((uintptr_t)((struct sk_buff *)s)->data + ((struct sk_buff *)s)->len - h);
inline uint32_t ip_plength_at[uintptr_t s, uintptr_t h] = ip_version_at[h] == 4 ?
    (uint32_t)((((struct iphdr *)h)->tot_len ? ntohs(((struct iphdr *)h)->tot_len) :
    ip_bytes_at[s, h]) - ((struct iphdr *)h)->ihl * 4) :
    ((struct ipv6hdr *)h)->payload_len ? (uint32_t)ntohs(((struct ipv6hdr *)h)->payload_len) :
    ip_bytes_at[s, h] - sizeof (struct ipv6hdr);
inline string ip_saddr_at[uintptr_t h] = ip_version_at[h] == 4 ?
    inet_ntoa((ipaddr_t *)&((struct iphdr *)h)->saddr) : inet_ntoa6(&((struct ipv6hdr *)h)->saddr);
inline string ip_daddr_at[uintptr_t h] = ip_version_at[h] == 4 ?
    inet_ntoa((ipaddr_t *)&((struct iphdr *)h)->daddr) : inet_ntoa6(&((struct ipv6hdr *)h)->daddr);

translator ipinfo_t < struct sk_buff *S > {
	ip_ver = ip_version_at[ip_header_of[(uintptr_t)S]];
	ip_plength = ip_plength_at[(uintptr_t)S, ip_header_of[(uintptr_t)S]];
	ip_saddr = ip_saddr_at[ip_header_of[(uintptr_t)S]];
	ip_daddr = ip_daddr_at[ip_header_of[(uintptr_t)S]];
};

/*
 * A packet whose header is incomplete or does not exist yet, as the module describes it. struct net_ip of the module has
 * the same layout.
 */
typedef struct dtrace_ip {
	uint32_t di_version;
	uint32_t di_plength;
	void *di_saddr;
	void *di_daddr;
} dtrace_ip_t;

inline string ip_address_at[uint32_t version, void *a] =
    version == 4 ? inet_ntoa((ipaddr_t *)a) : inet_ntoa6((struct in6_addr *)a);

translator ipinfo_t < dtrace_ip_t *P > {
	ip_ver = (uint8_t)P->di_version;
	ip_plength = P->di_plength;
	ip_saddr = ip_address_at[P->di_version, P->di_saddr];
	ip_daddr = ip_address_at[P->di_version, P->di_daddr];
};

typedef struct ifinfo {
	string if_name;
	int8_t if_local;		/* 1: it leads back to this machine, 0: it does not */
	int64_t if_ipstack;		/* 0, or the number of the container's network namespace */
	uintptr_t if_addr;		/* the kernel's struct net_device */
} ifinfo_t;

translator ifinfo_t < struct net_device *N > {
	if_name = N == NULL ? "<null>" : stringof(N->name);
	/* 8: a loop-back interface */
	if_local = (int8_t)(N == NULL ? 0 : (N->flags & 8) != 0);
	if_ipstack = N == NULL ? 0 : (int64_t)net_namespace[(uintptr_t)&N->nd_net];
	if_addr = (uintptr_t)N;
};

typedef struct ipv4info {
	uint8_t ipv4_ver;		/* 4 */
	uint8_t ipv4_ihl;		/* bytes of the header */
	uint8_t ipv4_tos;		/* type of service */
	uint16_t ipv4_length;		/* bytes, header included */
	uint16_t ipv4_ident;		/* of the datagram that this is a fragment of */
	uint8_t ipv4_flags;		/* IPH_* */
	uint16_t ipv4_offset;		/* of a fragment, in units of 8 bytes */
	uint8_t ipv4_ttl;		/* time to live */
	uint8_t ipv4_protocol;		/* IPPROTO_* */
	string ipv4_protostr;		/* as text: TCP UDP ICMP ... */
	uint16_t ipv4_checksum;
	ipaddr_t ipv4_src;		/* in the byte order of the net */
	ipaddr_t ipv4_dst;
	string ipv4_saddr;		/* the same as text */
	string ipv4_daddr;
	void *ipv4_hdr;			/* the kernel's struct iphdr */
} ipv4info_t;

translator ipv4info_t < struct iphdr *I > {
	ipv4_ver = I == NULL ? 0 : I->version;
	ipv4_ihl = (uint8_t)(I == NULL ? 0 : I->ihl * 4);
	ipv4_tos = I == NULL ? 0 : I->tos;
	ipv4_length = I == NULL ? 0 : ntohs(I->tot_len);
	ipv4_ident = I == NULL ? 0 : ntohs(I->id);
	ipv4_flags = (uint8_t)(I == NULL ? 0 : ntohs(I->frag_off) >> 13);
	ipv4_offset = (uint16_t)(I == NULL ? 0 : ntohs(I->frag_off) & 0x1fff);
	ipv4_ttl = I == NULL ? 0 : I->ttl;
	ipv4_protocol = I == NULL ? 0 : I->protocol;
	ipv4_protostr = I == NULL ? "<null>" : ip_protocol_name[I->protocol];
	ipv4_checksum = I == NULL ? 0 : ntohs(I->check);
	ipv4_src = I == NULL ? 0 : I->saddr;
	ipv4_dst = I == NULL ? 0 : I->daddr;
	ipv4_saddr = I == NULL ? "<null>" : inet_ntoa((ipaddr_t *)&I->saddr);
	ipv4_daddr = I == NULL ? "<null>" : inet_ntoa((ipaddr_t *)&I->daddr);
	ipv4_hdr = (void *)I;
};

typedef struct ipv6info {
	uint8_t ipv6_ver;		/* 6 */
	uint8_t ipv6_tclass;		/* traffic class */
	uint32_t ipv6_flow;		/* flow label */
	uint16_t ipv6_plen;		/* bytes after the header */
	uint8_t ipv6_nexthdr;		/* IPPROTO_* */
	string ipv6_nextstr;		/* as text */
	uint8_t ipv6_hlim;		/* hop limit */
	void *ipv6_src;			/* 16 bytes */
	void *ipv6_dst;
	string ipv6_saddr;		/* the same as text */
	string ipv6_daddr;
	void *ipv6_hdr;			/* the kernel's struct ipv6hdr */
} ipv6info_t;

translator ipv6info_t < struct ipv6hdr *I > {
	ipv6_ver = I == NULL ? 0 : I->version;
	ipv6_tclass = (uint8_t)(I == NULL ? 0 : I->priority << 4 | I->flow_lbl[0] >> 4);
	ipv6_flow = (uint32_t)(I == NULL ? 0 :
	    (I->flow_lbl[0] & 0xf) << 16 | I->flow_lbl[1] << 8 | I->flow_lbl[2]);
	ipv6_plen = I == NULL ? 0 : ntohs(I->payload_len);
	ipv6_nexthdr = I == NULL ? 0 : I->nexthdr;
	ipv6_nextstr = I == NULL ? "<null>" : ip_protocol_name[I->nexthdr];
	ipv6_hlim = I == NULL ? 0 : I->hop_limit;
	ipv6_src = I == NULL ? NULL : (void *)&I->saddr;
	ipv6_dst = I == NULL ? NULL : (void *)&I->daddr;
	ipv6_saddr = I == NULL ? "<null>" : inet_ntoa6(&I->saddr);
	ipv6_daddr = I == NULL ? "<null>" : inet_ntoa6(&I->daddr);
	ipv6_hdr = (void *)I;
};
