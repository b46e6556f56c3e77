// SPDX-License-Identifier: MIT
/*
 * talks.c - datagrams and connections over the loop-back interface, of which it knows the number.
 *
 *	talks own ...		in a network namespace of its own
 *	talks udp4|udp6 N SIZE	N datagrams of SIZE bytes from port 7001 to port 7002
 *	talks unread4|unread6 N	N datagrams to port 7099, where nobody listens
 *	talks tcp4|tcp6 N SIZE	a connection to port 7003: N pieces of SIZE bytes, then its client closes, then its server
 *	talks refused4|refused6 N  N connections to port 7098, where nobody listens
 *	talks ping4 N		N echo requests of 56 bytes
 *	talks pieces4 SIZE	a datagram of SIZE bytes, to be more than the interface takes at once
 *
 * Each step waits until the one before has arrived. At the end it prints how far the kernel's own counters have come since the
 * begin: NAME NUMBER.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FROM = 7001, TO = 7002, SERVER = 7003, NOBODY_TCP = 7098, NOBODY_UDP = 7099 };

static char bytes[65536];

static void must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "talks: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- the kernel's counters ---- */

static const char *const counters[] = {
	"IpInReceives", "IpOutRequests", "IpInDelivers", "TcpInSegs", "TcpOutSegs", "TcpActiveOpens", "TcpPassiveOpens", "TcpAttemptFails",
	"TcpOutRsts", "UdpInDatagrams", "UdpOutDatagrams", "Udp6InDatagrams", "Udp6OutDatagrams", "Ip6InReceives", "Ip6OutRequests",
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

	must(f != NULL, "snmp");
	while (fgets(names, sizeof(names), f) && fgets(values, sizeof(values), f)) {
		char *group = strtok_r(names, ": \n", &more_n);

		strtok_r(values, ": \n", &more_v);
		while ((n = strtok_r(NULL, " \n", &more_n)) && (v = strtok_r(NULL, " \n", &more_v))) {
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

static unsigned long segments_under_way(const unsigned long *counts)
{
	return counts[4] - counts[3];
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

/* A socket that is bound to a port, or to none if that is 0. */
static int end(int v6, int type, int port)
{
	struct sockaddr_storage a;
	int one = 1, fd = socket(v6 ? AF_INET6 : AF_INET, type, 0);
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

static void connection(int v6, int n, int size)
{
	struct sockaddr_storage a;
	socklen_t len = address(v6, SERVER, &a);
	int one = 1, listener = end(v6, SOCK_STREAM, SERVER), client = end(v6, SOCK_STREAM, 0), server;

	must(!listen(listener, 1), "listen");
	setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	must(!connect(client, (struct sockaddr *)&a, len), "connect");
	server = accept(listener, NULL, NULL);
	must(server >= 0, "accept");
	while (n-- > 0) {
		must(write(client, bytes, size) == size, "write");
		must(recv(server, bytes, size, MSG_WAITALL) == size, "recv");
	}
	shutdown(client, SHUT_WR);
	must(read(server, bytes, 1) == 0, "end of the client");
	close(server);
	must(read(client, bytes, 1) == 0, "end of the server");
	close(client);
	close(listener);
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

static unsigned short checksum(const unsigned short *words, int n)
{
	unsigned int sum = 0;

	while (n-- > 0)
		sum += *words++;
	sum = (sum >> 16) + (sum & 0xffff);
	return (unsigned short)~(sum + (sum >> 16));
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
		must(sendto(fd, &ping, sizeof(ping), 0, (struct sockaddr *)&a, len) == sizeof(ping), "echo request");
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

	if (argc > 1 && !strcmp(argv[1], "own")) {
		must(!unshare(CLONE_NEWNET), "a network namespace");
		argv++, argc--;
	}
	if (argc < 3)
		return 2;
	verb = argv[1];
	v6 = verb[strlen(verb) - 1] == '6';
	n = atoi(argv[2]);
	size = argc > 3 ? atoi(argv[3]) : 0;
	loopback();
	read_counters(before);
	if (!strncmp(verb, "udp", 3))
		datagrams(v6, n, size, TO);
	else if (!strncmp(verb, "unread", 6))
		datagrams(v6, n, 1, NOBODY_UDP);
	else if (!strncmp(verb, "tcp", 3))
		connection(v6, n, size);
	else if (!strncmp(verb, "refused", 7))
		refused(v6, n);
	else if (!strcmp(verb, "ping4"))
		pings(n);
	else if (!strcmp(verb, "pieces4"))
		datagrams(0, 1, n, TO);
	else
		return 2;
	do
		read_counters(after);
	while (segments_under_way(after) != segments_under_way(before));
	for (int i = 0; i < NCOUNTERS; i++)
		printf("%s %lu\n", counters[i], after[i] - before[i]);
	return 0;
}
