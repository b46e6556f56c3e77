/* SPDX-License-Identifier: MIT */
/*
 * tcp.d - TCP: tcpinfo_t of a header, tcpsinfo_t of a connection, tcplsinfo_t of a state that it leaves. States are
 * numbered as the kernel does.
 */
#pragma D depends_on library net.d
#pragma D depends_on library ip.d

/* tcp_flags of tcpinfo_t */
inline uint8_t TH_FIN = 0x01;
inline uint8_t TH_SYN = 0x02;
inline uint8_t TH_RST = 0x04;
inline uint8_t TH_PUSH = 0x08;
inline uint8_t TH_ACK = 0x10;
inline uint8_t TH_URG = 0x20;
inline uint8_t TH_ECE = 0x40;
inline uint8_t TH_CWR = 0x80;

/* tcps_state. Sockets of Linux are neither idle nor bound: these two never occur. */
inline int32_t TCP_STATE_ESTABLISHED = 1;
inline int32_t TCP_STATE_SYN_SENT = 2;
inline int32_t TCP_STATE_SYN_RECEIVED = 3;
inline int32_t TCP_STATE_FIN_WAIT_1 = 4;
inline int32_t TCP_STATE_FIN_WAIT_2 = 5;
inline int32_t TCP_STATE_TIME_WAIT = 6;
inline int32_t TCP_STATE_CLOSED = 7;
inline int32_t TCP_STATE_CLOSE_WAIT = 8;
inline int32_t TCP_STATE_LAST_ACK = 9;
inline int32_t TCP_STATE_LISTEN = 10;
inline int32_t TCP_STATE_CLOSING = 11;
inline int32_t TCP_STATE_IDLE = -1;
inline int32_t TCP_STATE_BOUND = -2;

inline string tcp_state_string[int32_t state] =
    state == TCP_STATE_CLOSED ? "state-closed" :
    state == TCP_STATE_LISTEN ? "state-listen" :
    state == TCP_STATE_SYN_SENT ? "state-syn-sent" :
    state == TCP_STATE_SYN_RECEIVED || state == 12 ? "state-syn-received" :
    state == TCP_STATE_ESTABLISHED ? "state-established" :
    state == TCP_STATE_CLOSE_WAIT ? "state-close-wait" :
    state == TCP_STATE_FIN_WAIT_1 ? "state-fin-wait-1" :
    state == TCP_STATE_CLOSING ? "state-closing" :
    state == TCP_STATE_LAST_ACK ? "state-last-ack" :
    state == TCP_STATE_FIN_WAIT_2 ? "state-fin-wait-2" :
    state == TCP_STATE_TIME_WAIT ? "state-time-wait" :
    state == TCP_STATE_IDLE ? "state-idle" :
    state == TCP_STATE_BOUND ? "state-bound" : "<unknown>";

typedef struct tcpinfo {
	uint16_t tcp_sport;		/* port of the sender */
	uint16_t tcp_dport;		/* and of the receiver */
	uint32_t tcp_seq;		/* number of the first byte */
	uint32_t tcp_ack;		/* of the next byte that is expected */
	uint8_t tcp_offset;		/* bytes of the header */
	uint8_t tcp_flags;		/* TH_* */
	uint16_t tcp_window;		/* as sent: not scaled */
	uint16_t tcp_checksum;
	uint16_t tcp_urgent;		/* urgent pointer */
	void *tcp_hdr;			/* the kernel's struct tcphdr */
} tcpinfo_t;

translator tcpinfo_t < struct tcphdr *H > {
	tcp_sport = H == NULL ? 0 : ntohs(H->source);
	tcp_dport = H == NULL ? 0 : ntohs(H->dest);
	tcp_seq = H == NULL ? 0 : ntohl(H->seq);
	tcp_ack = H == NULL ? 0 : ntohl(H->ack_seq);
	tcp_offset = (uint8_t)(H == NULL ? 0 : H->doff * 4);
	tcp_flags = H == NULL ? 0 : ((uint8_t *)H)[13];
	tcp_window = H == NULL ? 0 : ntohs(H->window);
	tcp_checksum = H == NULL ? 0 : ntohs(H->check);
	tcp_urgent = H == NULL ? 0 : ntohs(H->urg_ptr);
	tcp_hdr = (void *)H;
};

typedef struct tcpsinfo {
	uintptr_t tcps_addr;		/* the kernel's struct sock */
	int tcps_local;			/* 1: both ends have the same address */
	int tcps_active;
	uint16_t tcps_lport;		/* port here */
	uint16_t tcps_rport;		/* and at the other end */
	string tcps_laddr;		/* addresses as text */
	string tcps_raddr;
	int32_t tcps_state;		/* TCP_STATE_* */
	uint32_t tcps_iss;
	uint32_t tcps_irs;
	uint32_t tcps_suna;		/* first byte sent and not acknowledged */
	uint32_t tcps_snxt;		/* next to be sent */
	uint32_t tcps_rack;		/* last acknowledged to the other end */
	uint32_t tcps_rnxt;		/* next to be received */
	uint32_t tcps_swnd;		/* windows, bytes: to send, */
	int32_t tcps_snd_ws;		/* and by which power of 2 it is scaled; */
	uint32_t tcps_rwnd;		/* to receive */
	int32_t tcps_rcv_ws;
	uint32_t tcps_cwnd;		/* of congestion control, bytes */
	uint32_t tcps_cwnd_ssthresh;	/* where it stops to grow fast, bytes */
	uint32_t tcps_sack_fack;
	uint32_t tcps_sack_snxt;
	uint32_t tcps_rto;		/* ms after which data is sent again */
	uint32_t tcps_mss;		/* bytes in a segment */
	int tcps_retransmit;		/* 1: the segment is sent again; elsewhere, some wait for that */
} tcpsinfo_t;

/* Segments as bytes; the kernel's "no limit" stays that. */
inline uint32_t tcp_segments[uint32_t n, uint32_t mss] = n >= 0x7fffffff / (mss + 1) ? n : n * mss;

/* Ticks of the kernel as ms; without its length one is taken for 4 ms. */
inline uint32_t tcp_ticks[uint32_t n] =
    __exists(&`tick_nsec) ? (uint32_t)((uint64_t)n * *(uint64_t *)&`tick_nsec / 1000000) : n * 4;

translator tcpsinfo_t < struct sock *S > {
	tcps_addr = (uintptr_t)S;
	tcps_local = S == NULL ? 0 : sock_laddr[(uintptr_t)S] == sock_raddr[(uintptr_t)S];
	/* Which end began is not kept. */
	tcps_active = 0;
	tcps_lport = S == NULL ? 0 : sock_lport[(uintptr_t)S];
	tcps_rport = S == NULL ? 0 : sock_rport[(uintptr_t)S];
	tcps_laddr = S == NULL ? "<unknown>" : sock_laddr[(uintptr_t)S];
	tcps_raddr = S == NULL ? "<unknown>" : sock_raddr[(uintptr_t)S];
	tcps_state = S == NULL ? TCP_STATE_CLOSED : (int32_t)S->__sk_common.skc_state;
	/* Neither are the first sequence numbers. */
	tcps_iss = 0;
	tcps_irs = 0;
	tcps_suna = S == NULL ? 0 : ((struct tcp_sock *)S)->snd_una;
	tcps_snxt = S == NULL ? 0 : ((struct tcp_sock *)S)->snd_nxt;
	tcps_rack = S == NULL ? 0 : ((struct tcp_sock *)S)->rcv_wup;
	tcps_rnxt = S == NULL ? 0 : ((struct tcp_sock *)S)->rcv_nxt;
	tcps_swnd = S == NULL ? 0 : ((struct tcp_sock *)S)->snd_wnd;
	tcps_snd_ws = S == NULL ? 0 : ((struct tcp_sock *)S)->rx_opt.snd_wscale;
	tcps_rwnd = S == NULL ? 0 : ((struct tcp_sock *)S)->rcv_wnd;
	tcps_rcv_ws = S == NULL ? 0 : ((struct tcp_sock *)S)->rx_opt.rcv_wscale;
	tcps_cwnd = S == NULL ? 0 :
	    tcp_segments[((struct tcp_sock *)S)->snd_cwnd, ((struct tcp_sock *)S)->mss_cache];
	tcps_cwnd_ssthresh = S == NULL ? 0 :
	    tcp_segments[((struct tcp_sock *)S)->snd_ssthresh, ((struct tcp_sock *)S)->mss_cache];
	/* Selective acknowledgements are marks of segments, not two numbers. */
	tcps_sack_fack = 0;
	tcps_sack_snxt = 0;
	tcps_rto = S == NULL ? 0 : tcp_ticks[((struct inet_connection_sock *)S)->icsk_rto];
	tcps_mss = S == NULL ? 0 : ((struct tcp_sock *)S)->mss_cache;
	tcps_retransmit = S == NULL ? 0 : ((struct inet_connection_sock *)S)->icsk_retransmits > 0;
};

/* An end of a connection, as the module describes it. struct tcp_end of the module has the same layout. */
typedef struct dtrace_tcp {
	uintptr_t dt_sock;		/* the kernel's struct sock; 0: there is none, or one with less in it */
	uint64_t dt_address;
	uint32_t dt_version;
	int32_t dt_state;
	uint16_t dt_lport;
	uint16_t dt_rport;
	void *dt_laddr;
	void *dt_raddr;
	int32_t dt_retransmit;		/* of a segment that is sent: whether again; elsewhere -1 */
} dtrace_tcp_t;

translator tcpsinfo_t < dtrace_tcp_t *T > {
	tcps_addr = (uintptr_t)T->dt_address;
	tcps_local = ip_address_at[T->dt_version, T->dt_laddr] == ip_address_at[T->dt_version, T->dt_raddr];
	tcps_active = 0;
	tcps_lport = T->dt_lport;
	tcps_rport = T->dt_rport;
	tcps_laddr = ip_address_at[T->dt_version, T->dt_laddr];
	tcps_raddr = ip_address_at[T->dt_version, T->dt_raddr];
	tcps_state = T->dt_state;
	tcps_iss = 0;
	tcps_irs = 0;
	tcps_suna = xlate <tcpsinfo_t> ((struct sock *)T->dt_sock).tcps_suna;
	tcps_snxt = xlate <tcpsinfo_t> ((struct sock *)T->dt_sock).tcps_snxt;
	tcps_rack = xlate <tcpsinfo_t> ((struct sock *)T->dt_sock).tcps_rack;
	tcps_rnxt = xlate <tcpsinfo_t> ((struct sock *)T->dt_sock).tcps_rnxt;
	tcps_swnd = xlate <tcpsinfo_t> ((struct sock *)T->dt_sock).tcps_swnd;
	tcps_snd_ws = xlate <tcpsinfo_t> ((struct sock *)T->dt_sock).tcps_snd_ws;
	tcps_rwnd = xlate <tcpsinfo_t> ((struct sock *)T->dt_sock).tcps_rwnd;
	tcps_rcv_ws = xlate <tcpsinfo_t> ((struct sock *)T->dt_sock).tcps_rcv_ws;
	tcps_cwnd = xlate <tcpsinfo_t> ((struct sock *)T->dt_sock).tcps_cwnd;
	tcps_cwnd_ssthresh = xlate <tcpsinfo_t> ((struct sock *)T->dt_sock).tcps_cwnd_ssthresh;
	tcps_sack_fack = 0;
	tcps_sack_snxt = 0;
	tcps_rto = xlate <tcpsinfo_t> ((struct sock *)T->dt_sock).tcps_rto;
	tcps_mss = xlate <tcpsinfo_t> ((struct sock *)T->dt_sock).tcps_mss;
	tcps_retransmit = T->dt_retransmit >= 0 ? T->dt_retransmit : xlate <tcpsinfo_t> ((struct sock *)T->dt_sock).tcps_retransmit;
};

typedef struct tcplsinfo {
	int32_t tcps_state;		/* the state before, TCP_STATE_* */
} tcplsinfo_t;

translator tcplsinfo_t < int I > {
	tcps_state = I;
};
