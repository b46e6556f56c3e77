/* SPDX-License-Identifier: MIT */
/* net.d - what all protocols have: pktinfo_t of a packet, csinfo_t of a connection. */
#pragma D depends_on library procfs.d

typedef struct pktinfo {
	uintptr_t pkt_addr;		/* the kernel's struct sk_buff */
} pktinfo_t;

translator pktinfo_t < struct sk_buff *S > {
	pkt_addr = (uintptr_t)S;
};

/* The namespace that the possible_net_t at p tells: 0 for the first, else the number in /proc/PID/ns/net. */
inline uint32_t net_namespace[uintptr_t p] = !__exists(((possible_net_t *)p)->net) ? 0 :
    ((possible_net_t *)p)->net == &`init_net ? 0 : ((possible_net_t *)p)->net->ns.inum;

typedef struct csinfo {
	uintptr_t cs_addr;		/* the kernel's struct sock */
	uint64_t cs_cid;		/* identifies the connection as long as it lasts: the same address */
	pid_t cs_pid;
	zoneid_t cs_zoneid;		/* 0, or the number of the container's network namespace */
} csinfo_t;

translator csinfo_t < struct sock *S > {
	cs_addr = (uintptr_t)S;
	cs_cid = (uint64_t)S;
	/* A socket may be that of several processes, or of none. */
	cs_pid = -1;
	cs_zoneid = S == NULL ? 0 : (zoneid_t)net_namespace[(uintptr_t)&S->__sk_common.skc_net];
};

/*
 * Addresses of the socket at s as text; of one without an address family they are empty. Ports are in the byte order
 * of the machine.
 */
inline string sock_laddr[uintptr_t s] =
    ((struct sock *)s)->__sk_common.skc_family == 2 ?
    inet_ntoa((ipaddr_t *)&((struct sock *)s)->__sk_common.skc_rcv_saddr) :
    ((struct sock *)s)->__sk_common.skc_family == 10 ?
    (__exists(((struct sock *)s)->__sk_common.skc_v6_rcv_saddr) ?
    inet_ntoa6(&((struct sock *)s)->__sk_common.skc_v6_rcv_saddr) : "") : "";
inline string sock_raddr[uintptr_t s] =
    ((struct sock *)s)->__sk_common.skc_family == 2 ?
    inet_ntoa((ipaddr_t *)&((struct sock *)s)->__sk_common.skc_daddr) :
    ((struct sock *)s)->__sk_common.skc_family == 10 ?
    (__exists(((struct sock *)s)->__sk_common.skc_v6_daddr) ?
    inet_ntoa6(&((struct sock *)s)->__sk_common.skc_v6_daddr) : "") : "";
inline uint16_t sock_lport[uintptr_t s] = ((struct sock *)s)->__sk_common.skc_num;
inline uint16_t sock_rport[uintptr_t s] = ntohs(((struct sock *)s)->__sk_common.skc_dport);

/* Name of a protocol above IP. */
inline string ip_protocol_name[int protocol] =
    protocol == 6 ? "TCP" : protocol == 17 ? "UDP" : protocol == 1 ? "ICMP" : protocol == 2 ? "IGMP" :
    protocol == 4 ? "IP" : protocol == 8 ? "EGP" : protocol == 41 ? "IPv6" : protocol == 43 ? "ROUTE" :
    protocol == 50 ? "ESP" : protocol == 51 ? "AH" : protocol == 58 ? "ICMPv6" : protocol == 89 ? "OSPF" :
    protocol == 132 ? "SCTP" : protocol == 255 ? "RAW" : lltostr((uint64_t)protocol);
