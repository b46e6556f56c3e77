// SPDX-License-Identifier: MIT
/*
 * talks.c - make known numbers of datagrams and connections over the loop-back interface.
 *
 *	talks known ...		also print the kernel's data of each connection
 *	talks own ...		in a network namespace of its own; also known own ...
 *	talks udp4|udp6 N SIZE	N datagrams of SIZE bytes from port 7001 to port 7002
 *	talks lite4|lite6 N SIZE
 *				as udp4, by UDP-Lite
 *	talks multicast4 N SIZE	N datagrams of SIZE bytes, each to three sockets
 *	talks segments4 N SIZE	a buffer that UDP_SEGMENT makes N datagrams of SIZE bytes
 *	talks unread4|unread6 N	N datagrams to port 7099, which has no socket
 *	talks tcp4|tcp6 N SIZE	a connection to port 7003: N writes of SIZE bytes, then its client
 *				closes, then its server
 *	talks multipath4 N SIZE	as tcp4, by multipath TCP
 *	talks refused4|refused6 N  N connections to port 7098, which has no listening socket
 *	talks large4|large6 N SIZE
 *				as tcp4, if the writes are larger than segments: then the kernel
 *				counts sent and received segments in different ways, and all may not
 *				have arrived
 *	talks lost4|lost6 N SIZE
 *				a connection on which N writes of SIZE bytes are lost, and then all
 *				of them are sent again: print the bytes that were sent and sent
 *				again, by the kernel's counts
 *	talks unanswered4 N	N connections of which the client gets an answer only when TCP has
 *				sent segments again
 *	talks fast4 N		N connections whose first segment has data (TCP Fast Open)
 *	talks ends4 N SIZE
 *				three connections: the client closes, the server sends N writes of
 *				SIZE bytes and closes; the client resets; both close at once
 *	talks tells4 N SIZE
 *				as tcp4, then the kernel's data of the client, and a byte
 *	talks self4 N SIZE	a socket that connects to itself, by port 7004: N writes of SIZE
 *				bytes
 *	talks disorder4 N SIZE	a connection on which N times the second of two segments of SIZE
 *				bytes arrives before the first, and again after it
 *	talks overlap4 N SIZE	a connection on which N times a segment of SIZE bytes arrives, one
 *				that begins in its middle, and one that begins at its end
 *	talks ping4 N		N echo requests of 56 bytes
 *	talks pieces4 SIZE	a datagram of SIZE bytes, larger than the interface's MTU
 *
 * Each step waits until the data of the last one has arrived. With known, and with lost4 and lost6
 * in any case, a connection prints at its end the bytes that its client has sent, and sent again;
 * the segments with data that were sent, received, and received too early; and the bytes in order.
 * At the end the program prints the increments of the kernel's counters since the begin: NAME
 * NUMBER.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FROM = 7001, TO = 7002, SERVER = 7003, ITSELF = 7004, NOBODY_TCP = 7098, NOBODY_UDP = 7099 };
enum { FIN_WAIT2 = 5, CLOSED = 7 }; /* states of TCP */

static char bytes[1 << 18];
static int protocol;	       /* of all sockets; 0: the usual one */
static bool tells;	       /* print the kernel's data of connections */
static unsigned long injected; /* segments that arrive, but that TCP has not sent */

static void must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "talks: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- the kernel's counters ---- */

static const char *const counters[] = {
	"IpInReceives",	   "IpOutRequests",    "IpInDelivers",	  "TcpInSegs",
	"TcpOutSegs",	   "TcpActiveOpens",   "TcpPassiveOpens", "TcpAttemptFails",
	"TcpOutRsts",	   "TcpRetransSegs",   "UdpInDatagrams",  "UdpOutDatagrams",
	"Udp6InDatagrams", "Udp6OutDatagrams", "Ip6InReceives",	  "Ip6OutRequests",
};
enum { NCOUNTERS = sizeof(counters) / sizeof(*counters) };

static void count(const char *name, unsigned long value, unsigned long *counts)
{
	for (int i = 0; i < NCOUNTERS; i++)
		if (!strcmp(counters[i], name))
			counts[i] = value;
}

/* snmp has pairs of lines: GROUP: NAME..., GROUP: VALUE... */
static void read_pairs(unsigned long *counts)
{
	char names[2048], values[2048], name[128], *n, *v, *more_n, *more_v;
	FILE *f = fopen("/proc/thread-self/net/snmp", "r");

	must(!!f, "snmp");
	while (fgets(names, sizeof(names), f) && fgets(values, sizeof(values), f)) {
		char *group = strtok_r(names, ": \n", &more_n);

		strtok_r(values, ": \n", &more_v);
		while ((n = strtok_r(NULL, " \n", &more_n)) &&
		       (v = strtok_r(NULL, " \n", &more_v))) {
			snprintf(name, sizeof(name), "%s%s", group, n);
			count(name, strtoul(v, NULL, 10), counts);
		}
	}
	fclose(f);
}

static void read_counters(unsigned long *counts)
{
	char name[128];
	unsigned long value;
	FILE *f = fopen("/proc/thread-self/net/snmp6", "r");

	read_pairs(counts);
	if (!f)
		return;
	while (fscanf(f, "%127s %lu", name, &value) == 2)
		count(name, value, counts);
	fclose(f);
}

/* TcpOutSegs does not count segments that are sent again, except the server's first answers. */
static unsigned long segments_under_way(const unsigned long *counts)
{
	return counts[4] + counts[9] - counts[3];
}

/* ---- ends ---- */

static socklen_t address(int v6, int port, struct sockaddr_storage *a)
{
	memset(a, 0, sizeof(*a));
	a->ss_family = v6 ? AF_INET6 : AF_INET;
	if (v6) {
		((struct sockaddr_in6 *)a)->sin6_addr = in6addr_loopback;
		((struct sockaddr_in6 *)a)->sin6_port = htons(port);
		return sizeof(struct sockaddr_in6);
	}
	((struct sockaddr_in *)a)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	((struct sockaddr_in *)a)->sin_port = htons(port);
	return sizeof(struct sockaddr_in);
}

/* Make a socket that is bound to a port, or to none if port is 0. */
static int end(int v6, int type, int port)
{
	struct sockaddr_storage a;
	int one = 1, fd = socket(v6 ? AF_INET6 : AF_INET, type, protocol);
	socklen_t len = address(v6, port, &a);

	must(fd >= 0, "socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (port)
		must(!bind(fd, (struct sockaddr *)&a, len), "bind");
	return fd;
}

static void datagrams(int v6, int n, int size, int to)
{
	struct sockaddr_storage a;
	socklen_t len = address(v6, to, &a);
	int from = end(v6, SOCK_DGRAM, FROM), at = to == TO ? end(v6, SOCK_DGRAM, to) : -1;

	while (n-- > 0) {
		must(sendto(from, bytes, size, 0, (struct sockaddr *)&a, len) == size, "sendto");
		if (at >= 0)
			must(recv(at, bytes, sizeof(bytes), 0) == size, "recv");
	}
	close(from);
	close(at);
}

/* Send datagrams to three sockets that have joined a group on the loop-back interface. */
static void multicast(int n, int size)
{
	struct sockaddr_in group = {.sin_family = AF_INET, .sin_port = htons(TO)};
	struct ip_mreqn joined = {.imr_ifindex = 1};
	int from = end(0, SOCK_DGRAM, FROM), one = 1, at[3];

	inet_pton(AF_INET, "239.1.2.3", &group.sin_addr);
	joined.imr_multiaddr = group.sin_addr;
	must(!setsockopt(from, IPPROTO_IP, IP_MULTICAST_IF, &joined, sizeof(joined)), "interface");
	for (int i = 0; i < 3; i++) {
		at[i] = end(0, SOCK_DGRAM, 0);
		setsockopt(at[i], SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		must(!bind(at[i], (struct sockaddr *)&group, sizeof(group)), "bind");
		must(!setsockopt(at[i], IPPROTO_IP, IP_ADD_MEMBERSHIP, &joined, sizeof(joined)),
		     "join");
	}
	while (n-- > 0) {
		must(sendto(from, bytes, size, 0, (struct sockaddr *)&group, sizeof(group)) == size,
		     "sendto");
		for (int i = 0; i < 3; i++)
			must(recv(at[i], bytes, sizeof(bytes), 0) == size, "recv");
	}
}

static void segments(int n, int size)
{
	struct sockaddr_storage a;
	socklen_t len = address(0, TO, &a);
	int from = end(0, SOCK_DGRAM, FROM), at = end(0, SOCK_DGRAM, TO);

	must(!setsockopt(from, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof(size)), "UDP_SEGMENT");
	must(sendto(from, bytes, n * size, 0, (struct sockaddr *)&a, len) == n * size, "sendto");
	while (n-- > 0)
		must(recv(at, bytes, sizeof(bytes), 0) == size, "recv");
}

/* A connection, and its listening socket. */
struct connection {
	int listener, client, server;
};

static struct connection connected(int v6)
{
	struct connection c = {end(v6, SOCK_STREAM, SERVER), end(v6, SOCK_STREAM, 0), -1};
	struct sockaddr_storage a;
	socklen_t len = address(v6, SERVER, &a);
	int one = 1;

	must(!listen(c.listener, 1), "listen");
	setsockopt(c.client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	must(!connect(c.client, (struct sockaddr *)&a, len), "connect");
	c.server = accept(c.listener, NULL, NULL);
	must(c.server >= 0, "accept");
	return c;
}

static void send_piece(const struct connection *c, int size)
{
	must(write(c->client, bytes, size) == size, "write");
}

static void get_piece(const struct connection *c, int size)
{
	must(recv(c->server, bytes, size, MSG_WAITALL) == size, "recv");
}

static struct tcp_info known(int fd)
{
	struct tcp_info info = {0};
	socklen_t len = sizeof(info);

	must(!getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len), "what the kernel knows");
	return info;
}

/* Print the kernel's data of a connection whose segments have all arrived. */
static void tell(const struct connection *c)
{
	struct tcp_info client, server = known(c->server);

	do
		client = known(c->client);
	while (client.tcpi_unacked);
	printf("sent %llu\nagain %llu\nsegments_out %u\n",
	       (unsigned long long)(client.tcpi_bytes_sent - client.tcpi_bytes_retrans),
	       (unsigned long long)client.tcpi_bytes_retrans, client.tcpi_data_segs_out);
	printf("segments_in %u\nearly %u\nreceived %llu\n", server.tcpi_data_segs_in,
	       server.tcpi_rcv_ooopack, (unsigned long long)server.tcpi_bytes_received);
}

/* Close the client, then the server. */
static void disconnect(const struct connection *c)
{
	if (tells)
		tell(c);
	shutdown(c->client, SHUT_WR);
	must(read(c->server, bytes, 1) == 0, "end of the client");
	close(c->server);
	must(read(c->client, bytes, 1) == 0, "end of the server");
	close(c->client);
	close(c->listener);
}

static void connection(int v6, int n, int size)
{
	struct connection c = connected(v6);

	while (n-- > 0) {
		send_piece(&c, size);
		get_piece(&c, size);
	}
	disconnect(&c);
}

/* Drop all segments that come to a socket, or take them again. */
static void drop(int fd, bool dropped)
{
	struct sock_filter nothing = {BPF_RET | BPF_K, 0, 0, 0};
	struct sock_fprog filter = {1, &nothing};

	must(!setsockopt(fd, SOL_SOCKET, dropped ? SO_ATTACH_FILTER : SO_DETACH_FILTER, &filter,
			 sizeof(filter)),
	     "a filter");
}

/* Drop all segments until the client has sent one again. */
static void lost(int v6, int n, int size)
{
	struct connection c = connected(v6);
	int i;

	drop(c.server, true);
	for (i = 0; i < n; i++)
		send_piece(&c, size);
	while (!known(c.client).tcpi_bytes_retrans)
		;
	drop(c.server, false);
	for (i = 0; i < n; i++)
		get_piece(&c, size);
	disconnect(&c);
}

static void half_closed(int n, int size)
{
	struct connection c = connected(0);

	shutdown(c.client, SHUT_WR);
	must(read(c.server, bytes, 1) == 0, "end of the client");
	while (known(c.client).tcpi_state != FIN_WAIT2)
		usleep(1000);
	while (n-- > 0) {
		must(write(c.server, bytes, size) == size, "write");
		must(recv(c.client, bytes, size, MSG_WAITALL) == size, "recv");
	}
	close(c.server);
	must(read(c.client, bytes, 1) == 0, "end of the server");
	close(c.client);
	close(c.listener);
}

static void reset(void)
{
	struct linger none = {.l_onoff = 1};
	struct connection c = connected(0);

	must(!setsockopt(c.client, SOL_SOCKET, SO_LINGER, &none, sizeof(none)), "SO_LINGER");
	close(c.client);
	must(read(c.server, bytes, 1) < 0 && errno == ECONNRESET, "a reset");
	close(c.server);
	close(c.listener);
}

/* Close both ends, so that the server sends its FIN before it gets that of the client. */
static void closed_at_once(void)
{
	struct connection c = connected(0);

	drop(c.server, true);
	shutdown(c.client, SHUT_WR);
	shutdown(c.server, SHUT_WR);
	drop(c.server, false);
	while (known(c.client).tcpi_state != CLOSED || known(c.server).tcpi_state != CLOSED)
		usleep(1000);
	close(c.server);
	close(c.client);
	close(c.listener);
}

/* Drop all segments by a filter of a client's socket, until TCP has sent one again. */
static void unanswered(int n)
{
	struct sockaddr_storage a;
	socklen_t len = address(0, SERVER, &a);

	while (n-- > 0) {
		struct connection c = {end(0, SOCK_STREAM, SERVER), end(0, SOCK_STREAM, 0), -1};
		unsigned long before[NCOUNTERS], now[NCOUNTERS];
		struct pollfd ready = {.fd = c.client, .events = POLLOUT};

		must(!listen(c.listener, 1), "listen");
		drop(c.client, true);
		must(!fcntl(c.client, F_SETFL, O_NONBLOCK), "O_NONBLOCK");
		read_counters(before);
		must(connect(c.client, (struct sockaddr *)&a, len) && errno == EINPROGRESS,
		     "connect");
		do
			read_counters(now);
		while (now[9] < before[9] + 2);
		drop(c.client, false);
		must(poll(&ready, 1, -1) == 1 && !fcntl(c.client, F_SETFL, 0), "an answer");
		c.server = accept(c.listener, NULL, NULL);
		must(c.server >= 0, "accept");
		disconnect(&c);
	}
}

/* Connect with data in the first segment, which a server takes without a cookie. */
static void fast(int n)
{
	int setting = open("/proc/sys/net/ipv4/tcp_fastopen", O_WRONLY), pending = 1;
	struct sockaddr_storage a;
	socklen_t len = address(0, SERVER, &a);

	must(write(setting, "0x607", 5) == 5, "tcp_fastopen");
	close(setting);
	while (n-- > 0) {
		struct connection c = {end(0, SOCK_STREAM, SERVER), end(0, SOCK_STREAM, 0), -1};

		must(!setsockopt(c.listener, IPPROTO_TCP, TCP_FASTOPEN, &pending, sizeof(pending)),
		     "TCP_FASTOPEN");
		must(!listen(c.listener, 1), "listen");
		must(sendto(c.client, bytes, 10, MSG_FASTOPEN, (struct sockaddr *)&a, len) == 10,
		     "sendto");
		c.server = accept(c.listener, NULL, NULL);
		must(c.server >= 0, "accept");
		get_piece(&c, 10);
		disconnect(&c);
	}
}

static void self(int n, int size)
{
	struct sockaddr_storage a;
	socklen_t len = address(0, ITSELF, &a);
	struct connection c = {-1, end(0, SOCK_STREAM, ITSELF), -1};

	must(!connect(c.client, (struct sockaddr *)&a, len), "connect");
	injected++; /* the SYN with its ACK, which the kernel counts as none that is sent */
	c.server = c.client;
	while (n-- > 0) {
		send_piece(&c, size);
		get_piece(&c, size);
	}
	close(c.client);
}

static unsigned int sequence(int fd, int queue)
{
	unsigned int number;
	socklen_t len = sizeof(number);

	must(!setsockopt(fd, IPPROTO_TCP, TCP_REPAIR_QUEUE, &queue, sizeof(queue)) &&
		     !getsockopt(fd, IPPROTO_TCP, TCP_QUEUE_SEQ, &number, &len),
	     "a sequence number");
	return number;
}

/* Turn the mode in which the kernel tells sequence numbers on or off. */
static void repair(int fd, bool on)
{
	int mode = on ? 1 : -1; /* off without a probe of the window */

	must(!setsockopt(fd, IPPROTO_TCP, TCP_REPAIR, &mode, sizeof(mode)), "repair");
}

/* Print what the kernel knows of a client that has nothing under way, and send a byte. */
static void tell_and_send(int n, int size)
{
	struct connection c = connected(0);
	struct tcp_info info;
	int setting;

	setting = open("/proc/sys/net/ipv4/tcp_slow_start_after_idle", O_WRONLY);
	must(write(setting, "0", 1) == 1, "tcp_slow_start_after_idle");
	close(setting);
	while (n-- > 0) {
		send_piece(&c, size);
		get_piece(&c, size);
	}
	do
		info = known(c.client);
	while (info.tcpi_unacked);
	repair(c.client, true);
	printf("sequence %u %u\n", sequence(c.client, TCP_SEND_QUEUE),
	       sequence(c.client, TCP_RECV_QUEUE));
	repair(c.client, false);
	printf("segment %u, again after %u ms\n", info.tcpi_snd_mss, info.tcpi_rto / 1000);
	printf("window %u, scales %u %u\n", info.tcpi_snd_wnd, info.tcpi_snd_wscale,
	       info.tcpi_rcv_wscale);
	printf("congestion %u %u\n", info.tcpi_snd_cwnd, info.tcpi_snd_ssthresh);
	send_piece(&c, 1);
	get_piece(&c, 1);
	disconnect(&c);
}

static unsigned short checksum(const unsigned short *words, int n)
{
	unsigned int sum = 0;

	while (n-- > 0)
		sum += *words++;
	sum = (sum >> 16) + (sum & 0xffff);
	return (unsigned short)~(sum + (sum >> 16));
}

/* Send a segment for the client, without its TCP, at an offset from the end of the sent data. */
static void send_raw(const struct connection *c, int raw, int size, int offset)
{
	struct {
		struct {
			unsigned int from, to;
			unsigned char zero, protocol;
			unsigned short length;
		} ip; /* the pseudo-header for the checksum */
		struct tcphdr tcp;
		char data[1024];
	} s = {.ip = {htonl(INADDR_LOOPBACK), htonl(INADDR_LOOPBACK), 0, IPPROTO_TCP,
		      htons(sizeof(s.tcp) + size)}};
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);

	must(size <= (int)sizeof(s.data) && size % 2 == 0, "a size that is even and at most 1024");
	must(!getsockname(c->client, (struct sockaddr *)&a, &len), "the client's port");
	s.tcp = (struct tcphdr){.source = ((struct sockaddr_in *)&a)->sin_port,
				.dest = htons(SERVER),
				.doff = 5,
				.ack = 1,
				.window = htons(1000)};
	repair(c->client, true);
	s.tcp.seq = htonl(sequence(c->client, TCP_SEND_QUEUE) + offset);
	s.tcp.ack_seq = htonl(sequence(c->client, TCP_RECV_QUEUE));
	repair(c->client, false);
	s.tcp.check =
		checksum((unsigned short *)&s, (int)(sizeof(s.ip) + sizeof(s.tcp) + size) / 2);
	len = address(0, 0, &a);
	must(sendto(raw, &s.tcp, sizeof(s.tcp) + size, 0, (struct sockaddr *)&a, len) ==
		     (ssize_t)sizeof(s.tcp) + size,
	     "a raw segment");
	injected++;
}

/*
 * Move to another processor: packets of the loop-back interface are received where they are sent.
 */
static void move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set); /* fails if there is only one processor */
}

static void disorder(int n, int size)
{
	struct connection c = connected(0);
	int raw = socket(AF_INET, SOCK_RAW, IPPROTO_TCP);

	must(raw >= 0, "raw socket");
	while (n-- > 0) {
		move_to(1);
		send_raw(&c, raw, size, size);
		move_to(0);
		send_piece(&c, size);
		move_to(1);
		send_piece(&c, size);
		get_piece(&c, 2 * size);
	}
	close(raw);
	disconnect(&c);
}

static void overlap(int n, int size)
{
	struct connection c = connected(0);
	int raw = socket(AF_INET, SOCK_RAW, IPPROTO_TCP);

	must(raw >= 0, "raw socket");
	while (n-- > 0) {
		send_piece(&c, size);
		get_piece(&c, size);
		send_raw(&c, raw, size, -size / 2);
		get_piece(&c, size / 2);
		send_piece(&c, size);
		get_piece(&c, size / 2);
	}
	close(raw);
	disconnect(&c);
}

static void refused(int v6, int n)
{
	struct sockaddr_storage a;
	socklen_t len = address(v6, NOBODY_TCP, &a);

	while (n-- > 0) {
		int fd = end(v6, SOCK_STREAM, 0);

		must(connect(fd, (struct sockaddr *)&a, len) && errno == ECONNREFUSED, "a refusal");
		close(fd);
	}
}

static void pings(int n)
{
	union {
		struct icmphdr header;
		unsigned short words[32];
	} ping = {.header = {.type = ICMP_ECHO, .un.echo.id = 1}};
	struct sockaddr_storage a;
	socklen_t len = address(0, 0, &a);
	int fd = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);

	must(fd >= 0, "raw socket");
	ping.header.checksum = checksum(ping.words, 32);
	while (n-- > 0) {
		must(sendto(fd, &ping, sizeof(ping), 0, (struct sockaddr *)&a, len) == sizeof(ping),
		     "echo request");
		do
			must(recv(fd, bytes, sizeof(bytes), 0) > 20, "echo reply");
		while (bytes[20] != ICMP_ECHOREPLY);
	}
	close(fd);
}

/* Bring the loop-back interface up. */
static void loopback(void)
{
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	must(!ioctl(fd, SIOCSIFFLAGS, &request), "the interface lo");
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned long before[NCOUNTERS] = {0}, after[NCOUNTERS] = {0};
	const char *verb;
	int v6, n, size;

	if (argc > 1 && !strcmp(argv[1], "known")) {
		tells = true;
		argv++, argc--;
	}
	if (argc > 1 && !strcmp(argv[1], "own")) {
		must(!unshare(CLONE_NEWNET), "a network namespace");
		argv++, argc--;
	}
	if (argc < 3)
		return 2;
	verb = argv[1];
	tells |= !strncmp(verb, "lost", 4);
	v6 = verb[strlen(verb) - 1] == '6';
	n = atoi(argv[2]);
	size = argc > 3 ? atoi(argv[3]) : 0;
	loopback();
	read_counters(before);
	if (!strncmp(verb, "udp", 3))
		datagrams(v6, n, size, TO);
	else if (!strcmp(verb, "multicast4"))
		multicast(n, size);
	else if (!strcmp(verb, "segments4"))
		segments(n, size);
	else if (!strncmp(verb, "unread", 6))
		datagrams(v6, n, 1, NOBODY_UDP);
	else if (!strncmp(verb, "tcp", 3) || !strncmp(verb, "large", 5))
		connection(v6, n, size);
	else if (!strcmp(verb, "multipath4"))
		protocol = IPPROTO_MPTCP, connection(0, n, size);
	else if (!strncmp(verb, "lite", 4))
		protocol = IPPROTO_UDPLITE, datagrams(v6, n, size, TO);
	else if (!strncmp(verb, "refused", 7))
		refused(v6, n);
	else if (!strncmp(verb, "lost", 4))
		lost(v6, n, size);
	else if (!strcmp(verb, "unanswered4"))
		unanswered(n);
	else if (!strcmp(verb, "fast4"))
		fast(n);
	else if (!strcmp(verb, "ends4"))
		half_closed(n, size), reset(), closed_at_once();
	else if (!strcmp(verb, "tells4"))
		tell_and_send(n, size);
	else if (!strcmp(verb, "self4"))
		self(n, size);
	else if (!strcmp(verb, "disorder4"))
		disorder(n, size);
	else if (!strcmp(verb, "overlap4"))
		overlap(n, size);
	else if (!strcmp(verb, "ping4"))
		pings(n);
	else if (!strcmp(verb, "pieces4"))
		datagrams(0, 1, n, TO);
	else
		return 2;
	do
		read_counters(after);
	while (strncmp(verb, "large", 5) && strcmp(verb, "unanswered4") && strcmp(verb, "ends4") &&
	       segments_under_way(after) + injected != segments_under_way(before));
	for (int i = 0; i < NCOUNTERS; i++)
		printf("%s %lu\n", counters[i], after[i] - before[i]);
	return 0;
}
