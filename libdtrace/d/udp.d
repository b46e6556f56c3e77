/* SPDX-License-Identifier: MIT */
/* udp.d - UDP: udpinfo_t of a header, udpsinfo_t of a socket. */
#pragma D depends_on library net.d

typedef struct udpinfo {
	uint16_t udp_sport;		/* port of the sender */
	uint16_t udp_dport;		/* and of the receiver */
	uint16_t udp_length;		/* bytes, header included */
	uint16_t udp_checksum;
	void *udp_hdr;			/* the kernel's struct udphdr */
} udpinfo_t;

translator udpinfo_t < struct udphdr *U > {
	udp_sport = U == NULL ? 0 : ntohs(U->source);
	udp_dport = U == NULL ? 0 : ntohs(U->dest);
	udp_length = U == NULL ? 0 : ntohs(U->len);
	udp_checksum = U == NULL ? 0 : ntohs(U->check);
	udp_hdr = (void *)U;
};

typedef struct udpsinfo {
	uintptr_t udps_addr;		/* the kernel's struct sock */
	uint16_t udps_lport;		/* port here */
	uint16_t udps_rport;		/* and at the other end */
	string udps_laddr;		/* addresses as text */
	string udps_raddr;
} udpsinfo_t;

translator udpsinfo_t < struct sock *S > {
	udps_addr = (uintptr_t)S;
	udps_lport = S == NULL ? 0 : sock_lport[(uintptr_t)S];
	udps_rport = S == NULL ? 0 : sock_rport[(uintptr_t)S];
	udps_laddr = S == NULL ? "<unknown>" : sock_laddr[(uintptr_t)S];
	udps_raddr = S == NULL ? "<unknown>" : sock_raddr[(uintptr_t)S];
};
