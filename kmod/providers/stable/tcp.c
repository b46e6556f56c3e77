// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * tcp.c - the tcp provider: segments are sent and received, connections begin, are refused and
 * change their state.
 *
 * Outgoing segments have no IP header yet: their addresses are those of the future header.
 */
#include <linux/bpf.h>
#include <linux/in.h>
#include <linux/net.h>
#include <linux/tcp.h>
#include <linux/uio.h>
#include <net/inet_sock.h>
#include <net/ip.h>
#include <net/request_sock.h>
#include <net/tcp.h>
#include <net/tcp_states.h>
#include <trace/events/sock.h>

#include "net.h"
#include "stable.h"

/* The source of tcpsinfo_t: dtrace_tcp_t of tcp.d has the same layout. */
struct tcp_end {
	const struct sock *sock; /* NULL if it is not a full one */
	uint64_t address;	 /* of the socket, of whatever kind */
	uint32_t version;
	int32_t state;
	uint16_t lport;
	uint16_t rport;
	const void *laddr;
	const void *raddr;
	int32_t retransmit; /* of a segment that is sent: whether again; else TCP_NOT_SENT */
};

#define TCP_NOT_SENT (-1)

/*
 * Return the local port of a socket. A socket that is being closed has given its port back, and
 * keeps a copy.
 */
static notrace uint16_t tcp_lport(const struct sock *sk)
{
	uint16_t port = sk->__sk_common.skc_num;

	return port || !sk_fullsock(sk) ? port : ntohs(inet_sk(sk)->inet_sport);
}

/* Describe a socket of any kind: full, of a request, or in TIME_WAIT. */
static notrace struct tcp_end tcp_end_of(const struct sock *sk)
{
	const struct sock_common *common = &sk->__sk_common;
	bool v6 = common->skc_family == AF_INET6 && !ipv6_addr_v4mapped(&common->skc_v6_daddr);
	int state = common->skc_state;

	return (struct tcp_end){
		.sock = sk_fullsock(sk) ? sk : NULL,
		.address = (uintptr_t)sk,
		.version = v6 ? 6 : 4,
		.state = state == TCP_NEW_SYN_RECV ? TCP_SYN_RECV : state,
		.lport = tcp_lport(sk),
		.rport = ntohs(common->skc_dport),
		.laddr = v6 ? (const void *)&common->skc_v6_rcv_saddr : &common->skc_rcv_saddr,
		.raddr = v6 ? (const void *)&common->skc_v6_daddr : &common->skc_daddr,
		.retransmit = TCP_NOT_SENT,
	};
}

/* Describe the end that has no socket, and sends or has got a segment. */
static notrace struct tcp_end tcp_end_without(const struct net_ip *ip, const struct tcphdr *th,
					      bool sent)
{
	return (struct tcp_end){
		.version = ip->version,
		.state = TCP_CLOSE,
		.lport = ntohs(sent ? th->source : th->dest),
		.rport = ntohs(sent ? th->dest : th->source),
		.laddr = sent ? ip->saddr : ip->daddr,
		.raddr = sent ? ip->daddr : ip->saddr,
		.retransmit = sent ? 0 : TCP_NOT_SENT,
	};
}

static notrace void tcp_fire(const struct stable_trigger *t, struct pt_regs *regs,
			     const struct sk_buff *skb, const struct net_ip *ip,
			     const struct tcp_end *end, const struct tcphdr *th)
{
	stable_fire(t, regs, (uintptr_t)skb, end->address, (uintptr_t)ip, (uintptr_t)end,
		    (uintptr_t)th);
}

/* ---- segments sent ---- */

/* A segment that is about to get its IP header. */
struct tcp_sent {
	struct net_ip ip;
	struct tcp_end end;
	const struct sk_buff *skb; /* NULL: it is not in one yet */
	const struct tcphdr *th;
	bool socketless; /* an answer of the kernel itself */
};

/*
 * Return whether a segment was sent before: snd_nxt counts it after it has been sent. Segments that
 * use no sequence numbers, such as acknowledgements, are never retransmitted. The answer to a SYN
 * belongs to its request, which notes when the answer was made for the first time. Two first ones
 * belong to no request: a cookie, and that of a socket which the data of the SYN has made.
 */
static notrace bool tcp_is_again(const struct sock *sk, const struct sk_buff *skb,
				 const struct tcphdr *th)
{
	if (skb->sk && skb->sk->sk_state == TCP_NEW_SYN_RECV)
		return tcp_rsk(inet_reqsk(skb->sk))->snt_synack != tcp_skb_timestamp_us(skb);
	if (sk->sk_state == TCP_LISTEN || (th->syn && rcu_access_pointer(tcp_sk(sk)->fastopen_rsk)))
		return false;
	return (skb->len > th->doff * 4U || th->syn || th->fin) &&
	       (int32_t)(ntohl(th->seq) - tcp_sk(sk)->snd_nxt) < 0;
}

/*
 * Describe a segment in skb by the socket for which it is sent. An answer to a SYN is sent for the
 * listening socket, and belongs to a request.
 */
static notrace void tcp_sent_by(struct tcp_sent *s, const struct sock *sk)
{
	const struct sock *owner = s->skb->sk;

	s->th = (const struct tcphdr *)s->skb->data;
	s->ip.plength = s->skb->len;
	s->socketless = sk->sk_type == SOCK_RAW;
	s->end = tcp_end_without(&s->ip, s->th, true);
	if (s->socketless)
		return;
	if (sk->sk_state == TCP_LISTEN) {
		s->end.state = TCP_SYN_RECV;
		s->end.address = (uintptr_t)(owner ? owner : sk);
	} else {
		s->end = tcp_end_of(sk);
	}
	s->end.retransmit = sk_fullsock(sk) && tcp_is_again(sk, s->skb, s->th);
}

/* Describe the segment sent by ip_queue_xmit(sk, skb, flow). */
static notrace bool tcp_sent_v4(struct tcp_sent *s, struct pt_regs *regs)
{
	const struct sock *sk = (const struct sock *)regs->di;

	if (sk->sk_protocol != IPPROTO_TCP)
		return false;
	s->skb = (const struct sk_buff *)regs->si;
	s->ip = (struct net_ip){.version = 4,
				.saddr = &inet_sk(sk)->inet_saddr,
				.daddr = &sk->__sk_common.skc_daddr};
	tcp_sent_by(s, sk);
	return true;
}

/* Describe the segment sent by ip6_xmit(sk, skb, flow, ...). flow->daddr is its first hop. */
static notrace bool tcp_sent_v6(struct tcp_sent *s, struct pt_regs *regs)
{
	const struct flowi6 *flow = (const struct flowi6 *)regs->dx;

	if (flow->flowi6_proto != IPPROTO_TCP)
		return false;
	s->skb = (const struct sk_buff *)regs->si;
	s->ip = (struct net_ip){.version = 6, .saddr = &flow->saddr, .daddr = &flow->daddr};
	tcp_sent_by(s, (const struct sock *)regs->di);
	return true;
}

static notrace void tcp_send4(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct tcp_sent s;

	if (tcp_sent_v4(&s, regs))
		tcp_fire(t, regs, s.skb, &s.ip, &s.end, s.th);
}

static notrace void tcp_send6(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct tcp_sent s;

	if (tcp_sent_v6(&s, regs))
		tcp_fire(t, regs, s.skb, &s.ip, &s.end, s.th);
}

/* Fire at ip_build_and_send_pkt(skb, sk, saddr, daddr, ...): an answer to a SYN. */
static notrace void tcp_send_answer(const struct stable_trigger *t, struct pt_regs *regs)
{
	const struct sock *sk = (const struct sock *)regs->si;
	const __be32 saddr = (__force __be32)regs->dx, daddr = (__force __be32)regs->cx;
	struct tcp_sent s = {.skb = (const struct sk_buff *)regs->di,
			     .ip = {.version = 4, .saddr = &saddr, .daddr = &daddr}};

	if (sk->sk_protocol != IPPROTO_TCP)
		return;
	tcp_sent_by(&s, sk);
	tcp_fire(t, regs, s.skb, &s.ip, &s.end, s.th);
}

static notrace bool tcp_is_request(const struct tcphdr *th)
{
	return th->syn && !th->ack;
}

/*
 * Return whether a reset answers a SYN: it has no sequence number, since nothing was sent, and
 * acknowledges.
 */
static notrace bool tcp_is_refusal(const struct tcphdr *th)
{
	return th->rst && th->ack && !th->seq;
}

/*
 * Fire at ip_send_unicast_reply(sk, skb, options, daddr, saddr, arg, ...): the kernel itself
 * answers a segment, skb. The answer is in arg.
 */
static notrace void tcp_reply(const struct stable_trigger *t, struct pt_regs *regs, bool refusal)
{
	const struct kvec *answer = ((const struct ip_reply_arg *)regs->r9)->iov;
	const __be32 daddr = (__force __be32)regs->cx, saddr = (__force __be32)regs->r8;
	const struct tcphdr *th = answer->iov_base;
	const struct net_ip ip = {4, (uint32_t)answer->iov_len, &saddr, &daddr};
	const struct tcp_end end = tcp_end_without(&ip, th, true);

	if (!refusal || tcp_is_refusal(th))
		tcp_fire(t, regs, NULL, &ip, &end, th);
}

static notrace void tcp_send_reply(const struct stable_trigger *t, struct pt_regs *regs)
{
	tcp_reply(t, regs, false);
}

/* ---- segments received ---- */

static notrace void tcp_fire_received(const struct stable_trigger *t, struct pt_regs *regs,
				      const struct sock *sk, const struct sk_buff *skb, int state)
{
	const struct tcphdr *th = tcp_hdr(skb);
	struct net_ip ip = net_ip_received(skb);
	struct tcp_end end = sk ? tcp_end_of(sk) : tcp_end_without(&ip, th, false);

	if (state)
		end.state = state;
	tcp_fire(t, regs, skb, &ip, &end, th);
}

/* Fire at tcp_v4_do_rcv(sk, skb). */
static notrace void tcp_receive4(const struct stable_trigger *t, struct pt_regs *regs)
{
	tcp_fire_received(t, regs, (const struct sock *)regs->di, (const struct sk_buff *)regs->si,
			  0);
}

/* Fire at tcp_v6_do_rcv(sk, skb), which leaves segments of IPv4 to tcp_v4_do_rcv. */
static notrace void tcp_receive6(const struct stable_trigger *t, struct pt_regs *regs)
{
	const struct sk_buff *skb = (const struct sk_buff *)regs->si;

	if (skb->protocol != htons(ETH_P_IP))
		tcp_fire_received(t, regs, (const struct sock *)regs->di, skb, 0);
}

/*
 * Fire at tcp_check_req(sk, skb, request, fastopen, ...). With fastopen, the socket has received
 * the segment already.
 */
static notrace void tcp_receive_request(const struct stable_trigger *t, struct pt_regs *regs)
{
	if (!(bool)regs->cx)
		tcp_fire_received(t, regs, req_to_sk((struct request_sock *)regs->dx),
				  (const struct sk_buff *)regs->si, 0);
}

/*
 * Fire at tcp_timewait_state_process(tw, skb, th, ...). A SYN is left out: it may go on to a
 * listening socket, which receives it by tcp_v4_do_rcv or tcp_v6_do_rcv.
 */
static notrace void tcp_receive_timewait(const struct stable_trigger *t, struct pt_regs *regs)
{
	if (!tcp_is_request((const struct tcphdr *)regs->dx))
		tcp_fire_received(t, regs, (const struct sock *)regs->di,
				  (const struct sk_buff *)regs->si, 0);
}

/*
 * Fire at tcp_v4_send_reset(sk, skb, ...) and tcp_v6_send_reset. Without sk, there is no socket for
 * skb.
 */
static notrace void tcp_receive_nobody(const struct stable_trigger *t, struct pt_regs *regs)
{
	if (!regs->di)
		tcp_fire_received(t, regs, NULL, (const struct sk_buff *)regs->si, 0);
}

/* ---- connections ---- */

static notrace void tcp_connect_request4(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct tcp_sent s;

	if (tcp_sent_v4(&s, regs) && tcp_is_request(s.th))
		tcp_fire(t, regs, s.skb, &s.ip, &s.end, s.th);
}

static notrace void tcp_connect_request6(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct tcp_sent s;

	if (tcp_sent_v6(&s, regs) && tcp_is_request(s.th))
		tcp_fire(t, regs, s.skb, &s.ip, &s.end, s.th);
}

/*
 * Fire at tcp_finish_connect(sk, skb). There is no skb if the socket is restored from a checkpoint.
 */
static notrace void tcp_connect_established(const struct stable_trigger *t, struct pt_regs *regs)
{
	if (regs->si)
		tcp_fire_received(t, regs, (const struct sock *)regs->di,
				  (const struct sk_buff *)regs->si, TCP_ESTABLISHED);
}

/* Fire at tcp_reset(sk, skb): the other end has sent a reset. */
static notrace void tcp_connect_refused(const struct stable_trigger *t, struct pt_regs *regs)
{
	const struct sock *sk = (const struct sock *)regs->di;

	if (regs->si && sk->sk_state == TCP_SYN_SENT)
		tcp_fire_received(t, regs, sk, (const struct sk_buff *)regs->si, 0);
}

/*
 * Fire at tcp_init_transfer(sk, op, skb) for a connection whose other end has sent its SYN first,
 * or for one of which both ends have sent a SYN: then a program has the socket already.
 */
static notrace void tcp_answered(const struct stable_trigger *t, struct pt_regs *regs, bool by_both)
{
	const struct sock *sk = (const struct sock *)regs->di;

	if ((int)regs->si == BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB && regs->dx &&
	    !!sk->sk_socket == by_both)
		tcp_fire_received(t, regs, sk, (const struct sk_buff *)regs->dx, TCP_ESTABLISHED);
}

static notrace void tcp_connect_crossed(const struct stable_trigger *t, struct pt_regs *regs)
{
	tcp_answered(t, regs, true);
}

static notrace void tcp_accept_established(const struct stable_trigger *t, struct pt_regs *regs)
{
	tcp_answered(t, regs, false);
}

static notrace void tcp_accept_refused4(const struct stable_trigger *t, struct pt_regs *regs)
{
	tcp_reply(t, regs, true);
}

static notrace void tcp_accept_refused6(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct tcp_sent s;

	if (tcp_sent_v6(&s, regs) && s.socketless && tcp_is_refusal(s.th))
		tcp_fire(t, regs, s.skb, &s.ip, &s.end, s.th);
}

/* ---- states ---- */

static notrace void tcp_fire_state(const struct stable_trigger *t, struct pt_regs *regs,
				   const struct sock *sk, int from, int to)
{
	struct tcp_end end = tcp_end_of(sk);

	end.state = to;
	stable_fire(t, regs, 0, (uintptr_t)sk, 0, (uintptr_t)&end, 0, (uint64_t)from);
}

/*
 * Fire at a change of state, which is not stored yet. A copy of a listening socket has no addresses
 * yet either: see tcp_state_request().
 */
static notrace void tcp_state_change(void *data, const struct sock *sk, const int from,
				     const int to)
{
	if (sk->sk_protocol == IPPROTO_TCP && !(from == TCP_LISTEN && to == TCP_SYN_RECV))
		tcp_fire_state(data, NULL, sk, from, to);
}

/*
 * Fire at inet_csk_clone_lock(sk, request, ...): a request of a listening socket becomes a socket.
 */
static notrace void tcp_state_request(const struct stable_trigger *t, struct pt_regs *regs)
{
	const struct sock *sk = (const struct sock *)regs->di;

	if (sk->sk_protocol == IPPROTO_TCP)
		tcp_fire_state(t, regs, req_to_sk((struct request_sock *)regs->si), TCP_LISTEN,
			       TCP_SYN_RECV);
}

/* Fire at tcp_time_wait(sk, state, timeout): a smaller object takes the place of the socket. */
static notrace void tcp_state_timewait(const struct stable_trigger *t, struct pt_regs *regs)
{
	const struct sock *sk = (const struct sock *)regs->di;

	if ((int)regs->si == TCP_TIME_WAIT)
		tcp_fire_state(t, regs, sk, sk->sk_state, TCP_TIME_WAIT);
}

/* ---- tables ---- */

#define TCPSINFO "dtrace_tcp_t *", "tcpsinfo_t *"
#define TCP_ARGS                                                                   \
	{                                                                          \
		{NET_PKTINFO, 0}, {NET_CSINFO, 1}, {NET_IPINFO, 2}, {TCPSINFO, 3}, \
			{"struct tcphdr *", "tcpinfo_t *", 4},                     \
	}

static struct stable_probe tcp_probes[] = {
	{"send", TCP_ARGS},
	{"receive", TCP_ARGS},
	{"connect-request", TCP_ARGS},
	{"connect-established", TCP_ARGS},
	{"connect-refused", TCP_ARGS},
	{"accept-established", TCP_ARGS},
	{"accept-refused", TCP_ARGS},
	{"state-change",
	 {{"void *", NULL, 0},
	  {NET_CSINFO, 1},
	  {"void *", NULL, 2},
	  {TCPSINFO, 3},
	  {"void *", NULL, 4},
	  {"int", "tcplsinfo_t *", 5}}},
};

static struct stable_trigger tcp_triggers[] = {
	STABLE_ENTERED("send", "ip_queue_xmit", tcp_send4),
	STABLE_ENTERED("send", "ip6_xmit", tcp_send6),
	STABLE_ENTERED("send", "ip_build_and_send_pkt", tcp_send_answer),
	STABLE_ENTERED("send", "ip_send_unicast_reply", tcp_send_reply),
	STABLE_ENTERED("receive", "tcp_v4_do_rcv", tcp_receive4),
	STABLE_ENTERED("receive", "tcp_v6_do_rcv", tcp_receive6),
	STABLE_ENTERED("receive", "tcp_check_req", tcp_receive_request),
	STABLE_ENTERED("receive", "tcp_timewait_state_process", tcp_receive_timewait),
	STABLE_ENTERED("receive", "tcp_v4_send_reset", tcp_receive_nobody),
	STABLE_ENTERED("receive", "tcp_v6_send_reset", tcp_receive_nobody),
	STABLE_ENTERED("connect-request", "ip_queue_xmit", tcp_connect_request4),
	STABLE_ENTERED("connect-request", "ip6_xmit", tcp_connect_request6),
	STABLE_ENTERED("connect-established", "tcp_finish_connect", tcp_connect_established),
	STABLE_ENTERED("connect-established", "tcp_init_transfer", tcp_connect_crossed),
	STABLE_ENTERED("connect-refused", "tcp_reset", tcp_connect_refused),
	STABLE_ENTERED("accept-established", "tcp_init_transfer", tcp_accept_established),
	STABLE_ENTERED("accept-refused", "ip_send_unicast_reply", tcp_accept_refused4),
	STABLE_ENTERED("accept-refused", "ip6_xmit", tcp_accept_refused6),
	STABLE_TP("state-change", inet_sock_set_state, tcp_state_change),
	STABLE_ENTERED("state-change", "inet_csk_clone_lock", tcp_state_request),
	STABLE_ENTERED("state-change", "tcp_time_wait", tcp_state_timewait),
};

struct stable_provider tcp_provider = {
	.name = "tcp",
	.probes = tcp_probes,
	.nprobes = ARRAY_SIZE(tcp_probes),
	.triggers = tcp_triggers,
	.ntriggers = ARRAY_SIZE(tcp_triggers),
};
