// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * mib.c - the mib provider: the counters of the network, as in /proc/net/snmp, snmp6 and netstat,
 * of all network namespaces. Names are those of nstat: the name of the line, and that of the
 * column.
 *
 * A namespace has the counters of multipath TCP only once it is used. To know where they are before
 * anything is counted, mib makes a socket in each namespace, from when its probes are made.
 *
 * Locks: mib_lock, a mutex, is held while namespaces come and go, and covers their list and the
 * tree of ranges. Lookups in the tree need none: removed ranges are freed after a grace period.
 */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree_latch.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/snmp.h>
#include <net/sock.h>

#include "counter.h"
#include "hooks/symbol.h"
#include "target.h"

#define MIB_ROWS  256 /* of a list of names at most */
#define MIB_BELOW 128 /* bytes that a counter may lie before an instruction's constant */

/* ---- groups of counters ---- */

/*
 * A group: a structure of counters that each network namespace has, for each CPU, or one that all
 * CPUs share.
 */
struct mib_group {
	size_t offset;	    /* of the pointer to it, in a struct net */
	unsigned int n;	    /* counters; 0: their names, MIB_ROWS at most, are not read yet */
	unsigned int first; /* their first in mib_all */
};

enum mib_group_id {
	MIB_IP,
	MIB_TCP,
	MIB_NET,
	MIB_UDP,
	MIB_UDPLITE,
	MIB_ICMP,
#if IS_ENABLED(CONFIG_IPV6)
	MIB_IP6,
	MIB_UDP6,
	MIB_UDPLITE6,
	MIB_ICMP6,
#endif
#ifdef CONFIG_XFRM_STATISTICS
	MIB_XFRM,
#endif
#ifdef CONFIG_MPTCP
	MIB_MPTCP,
#endif
	/* shared: messages of each type, received, then sent */
	MIB_ICMP_TYPES,
#if IS_ENABLED(CONFIG_IPV6)
	MIB_ICMP6_TYPES,
#endif
	MIB_NGROUPS
};

#define MIB_GROUP(member)                                                \
	{                                                                \
		.offset = offsetof(struct net, mib.member),              \
		.n = ARRAY_SIZE(((struct net *)NULL)->mib.member->mibs), \
	}

/* first is set by mib_init. */
static struct mib_group mib_groups[] = {
	[MIB_IP] = MIB_GROUP(ip_statistics),
	[MIB_TCP] = MIB_GROUP(tcp_statistics),
	[MIB_NET] = MIB_GROUP(net_statistics),
	[MIB_UDP] = MIB_GROUP(udp_statistics),
	[MIB_UDPLITE] = MIB_GROUP(udplite_statistics),
	[MIB_ICMP] = MIB_GROUP(icmp_statistics),
#if IS_ENABLED(CONFIG_IPV6)
	[MIB_IP6] = MIB_GROUP(ipv6_statistics),
	[MIB_UDP6] = MIB_GROUP(udp_stats_in6),
	[MIB_UDPLITE6] = MIB_GROUP(udplite_stats_in6),
	[MIB_ICMP6] = MIB_GROUP(icmpv6_statistics),
#endif
#ifdef CONFIG_XFRM_STATISTICS
	[MIB_XFRM] = MIB_GROUP(xfrm_statistics),
#endif
#ifdef CONFIG_MPTCP
	[MIB_MPTCP] = {.offset = offsetof(struct net, mib.mptcp_statistics)}, /* n: [mib_lock] */
#endif
	[MIB_ICMP_TYPES] = MIB_GROUP(icmpmsg_statistics),
#if IS_ENABLED(CONFIG_IPV6)
	[MIB_ICMP6_TYPES] = MIB_GROUP(icmpv6msg_statistics),
#endif
};

#define MIB_MAX 2048

static struct counter mib_all[MIB_MAX];
static uint16_t mib_entry[MIB_MAX]; /* number of each counter in its group */

/* ---- where the counters of namespaces are ---- */

/* The counters of a group and a namespace. */
struct mib_range {
	struct latch_tree_node node; /* [mib_lock] */
	unsigned long start, size;   /* counted from %gs: if not shared, in bytes */
	const struct counter *counters;
	struct net *net;
	struct rcu_head rcu;
};

/* A namespace. */
struct mib_net {
	struct list_head link; /* [mib_lock] in mib_nets */
	struct net *net;
	struct mib_range *ranges[MIB_NGROUPS]; /* [mib_lock] */
};

static DEFINE_MUTEX(mib_lock);
static struct latch_tree_root mib_tree; /* [mib_lock] */
static LIST_HEAD(mib_nets);		/* [mib_lock] */
static unsigned int mib_net_id;

static __always_inline struct mib_range *mib_range_of(struct latch_tree_node *node)
{
	return container_of(node, struct mib_range, node);
}

static __always_inline bool mib_less(struct latch_tree_node *a, struct latch_tree_node *b)
{
	return mib_range_of(a)->start < mib_range_of(b)->start;
}

static __always_inline int mib_compare(void *key, struct latch_tree_node *node)
{
	const struct mib_range *r = mib_range_of(node);

	if ((unsigned long)key < r->start)
		return -1;
	return (unsigned long)key - r->start >= r->size;
}

static const struct latch_tree_ops mib_tree_ops = {.less = mib_less, .comp = mib_compare};

static notrace const struct counter *mib_locate(unsigned long variable, uint64_t *arg2)
{
	struct latch_tree_node *node = latch_tree_find((void *)variable, &mib_tree, &mib_tree_ops);
	const struct mib_range *r;

	if (!node)
		return NULL;
	r = mib_range_of(node);
	*arg2 = (uintptr_t)r->net;
	return &r->counters[(variable - r->start) / sizeof(uint64_t)];
}

/* Forget the counters of a network namespace that ends. They are freed later. */
static void __net_exit mib_net_exit(struct net *net)
{
	struct mib_net *n = net_generic(net, mib_net_id);
	unsigned int i;

	mutex_lock(&mib_lock);
	list_del(&n->link);
	for (i = 0; i < MIB_NGROUPS; i++) {
		if (!n->ranges[i])
			continue;
		latch_tree_erase(&n->ranges[i]->node, &mib_tree, &mib_tree_ops);
		kfree_rcu(n->ranges[i], rcu);
		n->ranges[i] = NULL;
	}
	mutex_unlock(&mib_lock);
}

/* Make the range of a group, NULL if the namespace does not have the group. */
static int mib_range_make(const struct mib_net *n, unsigned int group, struct mib_range **range)
{
	const struct mib_group *g = &mib_groups[group];
	unsigned long start = *(const unsigned long *)((const char *)n->net + g->offset);
	unsigned int ncounters = READ_ONCE(g->n);
	struct mib_range *r;

	*range = NULL;
	if (!start || !ncounters)
		return 0;
	r = kzalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);
	if (!r)
		return -ENOMEM;
	r->start = start;
	r->size = ncounters * sizeof(uint64_t);
	r->counters = &mib_all[g->first];
	r->net = n->net;
	*range = r;
	return 0;
}

/* Enter the range of a group, NULL: none, unless another thread has entered it. */
static void mib_range_enter(struct mib_net *n, unsigned int group, struct mib_range *range)
	__must_hold(&mib_lock)
{
	lockdep_assert_held(&mib_lock);
	if (!range || n->ranges[group]) {
		kfree(range);
		return;
	}
	n->ranges[group] = range;
	latch_tree_insert(&range->node, &mib_tree, &mib_tree_ops);
}

#ifdef CONFIG_MPTCP
/*
 * Have the kernel make the counters of multipath TCP, as it does for a namespace's first socket
 * unless net.mptcp.enabled is 0 there.
 */
static void mib_mptcp_ask(struct net *net)
{
	struct socket *socket;

	if (READ_ONCE(mib_groups[MIB_MPTCP].n) &&
	    !sock_create_kern(net, AF_INET, SOCK_STREAM, IPPROTO_MPTCP, &socket))
		sock_release(socket);
}
#else
static void mib_mptcp_ask(struct net *net)
{
}
#endif

/*
 * Note the counters of a new network namespace. It is in the list before its groups are looked at,
 * so that either this function or mib_mptcp_make() finds multipath TCP.
 */
static int __net_init mib_net_init(struct net *net)
{
	struct mib_net *n = net_generic(net, mib_net_id);
	struct mib_range *range;
	unsigned int i;
	int error = 0;

	n->net = net;
	mutex_lock(&mib_lock);
	list_add_tail(&n->link, &mib_nets);
	mutex_unlock(&mib_lock);
	mib_mptcp_ask(net);
	for (i = 0; i < MIB_NGROUPS && !error; i++) {
		error = mib_range_make(n, i, &range);
		mutex_lock(&mib_lock);
		mib_range_enter(n, i, range);
		mutex_unlock(&mib_lock);
	}
	if (error)
		mib_net_exit(net);
	return error;
}

static struct pernet_operations mib_net_ops = {
	.init = mib_net_init,
	.exit = mib_net_exit,
	.id = &mib_net_id,
	.size = sizeof(struct mib_net),
};

int mib_init(void)
{
	unsigned int i, entry, n = 0;

	for (i = 0; i < MIB_NGROUPS; i++) {
		unsigned int most = mib_groups[i].n ? mib_groups[i].n : MIB_ROWS;

		if (most > MIB_MAX - n)
			return -E2BIG;
		mib_groups[i].first = n;
		for (entry = 0; entry < most; entry++)
			mib_entry[n++] = (uint16_t)entry;
	}
	mib_counters.ncounters = n;
	return register_pernet_subsys(&mib_net_ops);
}

void mib_exit(void)
{
	unregister_pernet_subsys(&mib_net_ops);
	rcu_barrier(); /* the ranges are freed */
}

/* ---- which instruction changes what ---- */

static unsigned long mib_text; /* where the networking code begins */

/*
 * Return whether an instruction may change a counter. It has the address of a group in a register,
 * and the counter's offset in its constant. Instructions that compute the offset may change any
 * counter from the constant on, or one shortly before it: a choice of two may have the second's
 * constant. They count only if they are in a module or in the networking code, which the kernel
 * links behind all other code with such instructions.
 */
static bool mib_may_change(const struct percpu_add *add, unsigned int counter)
{
	unsigned long offset = mib_entry[counter] * sizeof(uint64_t);
	bool shared = counter >= mib_groups[MIB_ICMP_TYPES].first;

	if (add->base == PERCPU_NO_REGISTER || add->shared != shared)
		return false;
	if (shared && add->site < mib_text)
		return false;
	if (add->index == PERCPU_NO_REGISTER && add->constant)
		return add->constant == offset;
	return add->site >= mib_text && add->constant <= offset + MIB_BELOW;
}

/* ---- probes ---- */

/* A list of names of the kernel. */
static const struct mib_names {
	const char *prefix, *symbol;
	unsigned int group;
	const char *alias; /* the prefix on other systems, or NULL */
	bool ip;	   /* of IP, of which other systems count both versions together */
} mib_lists[] = {
	{"Ip", "snmp4_ipstats_list", MIB_IP, "ip", .ip = true},
	{"IpExt", "snmp4_ipextstats_list", MIB_IP, .ip = true},
	{"Tcp", "snmp4_tcp_list", MIB_TCP, "tcp"},
	{"TcpExt", "snmp4_net_list", MIB_NET},
	{"Udp", "snmp4_udp_list", MIB_UDP, "udp"},
	{"UdpLite", "snmp4_udp_list", MIB_UDPLITE},
#if IS_ENABLED(CONFIG_IPV6)
	{"", "snmp6_ipstats_list", MIB_IP6, .ip = true},
	{"", "snmp6_udp6_list", MIB_UDP6},
	{"", "snmp6_udplite6_list", MIB_UDPLITE6},
	{"", "snmp6_icmp6_list", MIB_ICMP6},
#endif
#ifdef CONFIG_XFRM_STATISTICS
	{"", "xfrm_mib_list", MIB_XFRM},
#endif
#ifdef CONFIG_MPTCP
	{"MPTcpExt", "mptcp_snmp_list", MIB_MPTCP},
#endif
};

/* Names of which the kernel has no list, and names of other systems. */
static const struct {
	const char *name;
	unsigned int group, entry;
} mib_names[] = {
	{"IcmpInMsgs", MIB_ICMP, ICMP_MIB_INMSGS},
	{"IcmpInErrors", MIB_ICMP, ICMP_MIB_INERRORS},
	{"IcmpInCsumErrors", MIB_ICMP, ICMP_MIB_CSUMERRORS},
	{"IcmpOutMsgs", MIB_ICMP, ICMP_MIB_OUTMSGS},
	{"IcmpOutErrors", MIB_ICMP, ICMP_MIB_OUTERRORS},
	{"icmpInMsgs", MIB_ICMP, ICMP_MIB_INMSGS},
	{"icmpInErrors", MIB_ICMP, ICMP_MIB_INERRORS},
	{"icmpInCksumErrs", MIB_ICMP, ICMP_MIB_CSUMERRORS},
	{"icmpOutMsgs", MIB_ICMP, ICMP_MIB_OUTMSGS},
	{"icmpOutErrors", MIB_ICMP, ICMP_MIB_OUTERRORS},
	/* which Linux 6.1 does not have */
	{"IcmpOutRateLimitGlobal", MIB_ICMP, ICMP_MIB_CSUMERRORS + 1},
	{"IcmpOutRateLimitHost", MIB_ICMP, ICMP_MIB_CSUMERRORS + 2},
#if IS_ENABLED(CONFIG_IPV6)
	{"ipv6IfIcmpInMsgs", MIB_ICMP6, ICMP6_MIB_INMSGS},
	{"ipv6IfIcmpInErrors", MIB_ICMP6, ICMP6_MIB_INERRORS},
	{"ipv6IfIcmpOutMsgs", MIB_ICMP6, ICMP6_MIB_OUTMSGS},
	{"ipv6IfIcmpOutErrors", MIB_ICMP6, ICMP6_MIB_OUTERRORS},
#endif
	{"ipInCksumErrs", MIB_IP, IPSTATS_MIB_CSUMERRORS},
	{"ipIfStatsInCksumErrs", MIB_IP, IPSTATS_MIB_CSUMERRORS},
	{"tcpOutAckDelayed", MIB_NET, LINUX_MIB_DELAYEDACKS},
	{"tcpHCInSegs", MIB_TCP, TCP_MIB_INSEGS},
	{"tcpHCOutSegs", MIB_TCP, TCP_MIB_OUTSEGS},
	{"tcpHalfOpenDrop", MIB_NET, LINUX_MIB_TCPREQQFULLDROP},
	{"tcpListenDrop", MIB_NET, LINUX_MIB_LISTENDROPS},
	{"tcpListenDropQ0", MIB_NET, LINUX_MIB_TCPREQQFULLDROP},
	{"tcpOutFastRetrans", MIB_NET, LINUX_MIB_TCPFASTRETRANS},
	{"tcpOutWinProbe", MIB_NET, LINUX_MIB_TCPWINPROBE},
	{"tcpTimKeepalive", MIB_NET, LINUX_MIB_TCPKEEPALIVE},
	{"tcpTimKeepaliveProbe", MIB_NET, LINUX_MIB_TCPKEEPALIVE},
	{"tcpTimRetrans", MIB_NET, LINUX_MIB_TCPTIMEOUTS},
	{"tcpTimRetransDrop", MIB_NET, LINUX_MIB_TCPABORTONTIMEOUT},
	{"udpHCInDatagrams", MIB_UDP, UDP_MIB_INDATAGRAMS},
	{"udpHCOutDatagrams", MIB_UDP, UDP_MIB_OUTDATAGRAMS},
	{"udpInCksumErrs", MIB_UDP, UDP_MIB_CSUMERRORS},
	{"udpInOverflows", MIB_UDP, UDP_MIB_RCVBUFERRORS},
};

/* Solaris' counters of IP, which count both versions: the kernel's columns of them. */
static const struct {
	const char *column, *name;
} mib_if_names[] = {
	{"InReceives", "ipIfStatsHCInReceives"},
	{"InOctets", "ipIfStatsHCInOctets"},
	{"InDelivers", "ipIfStatsHCInDelivers"},
	{"InMcastPkts", "ipIfStatsHCInMcastPkts"},
	{"InMcastOctets", "ipIfStatsHCInMcastOctets"},
	{"InBcastPkts", "ipIfStatsHCInBcastPkts"},
	{"InHdrErrors", "ipIfStatsInHdrErrors"},
	{"InTooBigErrors", "ipIfStatsInTooBigErrors"},
	{"InNoRoutes", "ipIfStatsInNoRoutes"},
	{"InAddrErrors", "ipIfStatsInAddrErrors"},
	{"InUnknownProtos", "ipIfStatsInUnknownProtos"},
	{"InTruncatedPkts", "ipIfStatsInTruncatedPkts"},
	{"InDiscards", "ipIfStatsInDiscards"},
	{"OutRequests", "ipIfStatsHCOutRequests"},
	{"OutTransmits", "ipIfStatsHCOutTransmits"},
	{"OutOctets", "ipIfStatsHCOutOctets"},
	{"OutMcastPkts", "ipIfStatsHCOutMcastPkts"},
	{"OutMcastOctets", "ipIfStatsHCOutMcastOctets"},
	{"OutBcastPkts", "ipIfStatsHCOutBcastPkts"},
	{"ForwDatagrams", "ipIfStatsHCOutForwDatagrams"},
	{"OutForwDatagrams", "ipIfStatsHCOutForwDatagrams"},
	{"OutDiscards", "ipIfStatsOutDiscards"},
	{"OutNoRoutes", "ipIfStatsOutNoRoutes"},
	{"ReasmReqds", "ipIfStatsReasmReqds"},
	{"ReasmOKs", "ipIfStatsReasmOKs"},
	{"ReasmFails", "ipIfStatsReasmFails"},
	{"FragOKs", "ipIfStatsOutFragOKs"},
	{"FragFails", "ipIfStatsOutFragFails"},
	{"FragCreates", "ipIfStatsOutFragCreates"},
};

/* Types of ICMP messages, by their names in /proc/net/snmp and snmp6. */
static const struct mib_type {
	const char *name;
	unsigned int type;
} mib_icmp_types[] = {
	{"DestUnreachs", 3},   {"TimeExcds", 11}, {"ParmProbs", 12},	{"SrcQuenchs", 4},
	{"Redirects", 5},      {"Echos", 8},	  {"EchoReps", 0},	{"Timestamps", 13},
	{"TimestampReps", 14}, {"AddrMasks", 17}, {"AddrMaskReps", 18},
};

#if IS_ENABLED(CONFIG_IPV6)
static const struct mib_type mib_icmp6_types[] = {
	{"DestUnreachs", 1},
	{"PktTooBigs", 2},
	{"TimeExcds", 3},
	{"ParmProblems", 4},
	{"Echos", 128},
	{"EchoReplies", 129},
	{"GroupMembQueries", 130},
	{"GroupMembResponses", 131},
	{"GroupMembReductions", 132},
	{"RouterSolicits", 133},
	{"RouterAdvertisements", 134},
	{"NeighborSolicits", 135},
	{"NeighborAdvertisements", 136},
	{"Redirects", 137},
	{"MLDv2Reports", 143},
};
#endif

#define MIB_SENT 256 /* number of the first counter of sent messages */

#define MIB_HIGH 128 /* ICMP of version 6: the first type that is no error */

/* The types of a version. Its numbers are assigned from 0 to low, and from MIB_HIGH to high. */
static const struct mib_types {
	const char *prefix, *alias, *number_prefix;
	unsigned int group;
	const struct mib_type *types;
	unsigned int n, low, high;
} mib_type_lists[] = {
	{"Icmp", "icmp", "IcmpMsg", MIB_ICMP_TYPES, mib_icmp_types, ARRAY_SIZE(mib_icmp_types), 43,
	 0},
#if IS_ENABLED(CONFIG_IPV6)
	{"Icmp6", "ipv6IfIcmp", "Icmp6", MIB_ICMP6_TYPES, mib_icmp6_types,
	 ARRAY_SIZE(mib_icmp6_types), 4, 161},
#endif
};

static int mib_add(struct counter_provider *provider, const char *prefix, const char *name,
		   unsigned int group, unsigned int entry)
{
	char text[COUNTER_NAMELEN];

	if (entry >= mib_groups[group].n)
		return 0;
	if (snprintf(text, sizeof(text), "%s%s", prefix, name) >= (int)sizeof(text))
		return -ENAMETOOLONG;
	return counter_probe_add(provider, text, &mib_all[mib_groups[group].first + entry], false);
}

/* Let the probe with Solaris' name of a counter of IP, if there is one, count a column, too. */
static int mib_add_if(struct counter_provider *provider, const char *column, unsigned int group,
		      unsigned int entry)
{
	unsigned int i;

	if (strncmp(column, "Ip6", 3) == 0)
		column += 3;
	for (i = 0; i < ARRAY_SIZE(mib_if_names); i++)
		if (strcmp(column, mib_if_names[i].column) == 0)
			return mib_add(provider, "", mib_if_names[i].name, group, entry);
	return 0;
}

/* Read a row of a list of names at list. Return whether there is one. */
static bool mib_row(unsigned long list, unsigned int i, struct snmp_mib *row)
{
	return list && i < MIB_ROWS &&
	       !target_load_kernel(row, list + i * sizeof(*row), sizeof(*row)) && row->name;
}

/* Add the counters of a list. TCP's first four are no counters, but say how it works. */
static int mib_add_list(struct counter_provider *provider, const struct mib_names *list)
{
	unsigned long at = symbol_address(list->symbol);
	char name[COUNTER_NAMELEN] = "";
	struct snmp_mib row;
	unsigned int i;
	int error = 0;

	for (i = 0; !error && mib_row(at, i, &row); i++) {
		if (target_load_kernel(name, (uintptr_t)row.name, sizeof(name) - 1))
			break;
		if (list->group == MIB_TCP && row.entry <= TCP_MIB_MAXCONN)
			continue;
		error = mib_add(provider, list->prefix, name, list->group, (unsigned int)row.entry);
		if (!error && list->alias)
			error = mib_add(provider, list->alias, name, list->group,
					(unsigned int)row.entry);
		if (!error && list->ip)
			error = mib_add_if(provider, name, list->group, (unsigned int)row.entry);
	}
	return error;
}

/* Learn how many counters multipath TCP has, and where those of all namespaces are. */
static int mib_mptcp_make(void)
{
	int error = 0;
#ifdef CONFIG_MPTCP
	unsigned long list = symbol_address("mptcp_snmp_list");
	unsigned int i, n = 0;
	struct mib_range *range;
	struct snmp_mib row;
	struct mib_net *net;

	for (i = 0; mib_row(list, i, &row); i++)
		n = max(n, min_t(unsigned int, row.entry, MIB_ROWS - 1) + 1);
	mutex_lock(&mib_lock);
	WRITE_ONCE(mib_groups[MIB_MPTCP].n, n);
	list_for_each_entry(net, &mib_nets, link) {
		if (!maybe_get_net(net->net))
			continue;
		mib_mptcp_ask(net->net);
		error = mib_range_make(net, MIB_MPTCP, &range);
		mib_range_enter(net, MIB_MPTCP, range);
		put_net(net->net);
		if (!error && fatal_signal_pending(current))
			error = -EINTR;
		if (error)
			break;
	}
	mutex_unlock(&mib_lock);
#endif
	return error;
}

/* Add the counters of messages of a type, received and sent: PREFIXInNAME, PREFIXOutNAME. */
static int mib_add_type(struct counter_provider *provider, const char *prefix, const char *name,
			unsigned int group, unsigned int type)
{
	char text[COUNTER_NAMELEN];
	int error;

	snprintf(text, sizeof(text), "In%s", name);
	error = mib_add(provider, prefix, text, group, type);
	if (error)
		return error;
	snprintf(text, sizeof(text), "Out%s", name);
	return mib_add(provider, prefix, text, group, type + MIB_SENT);
}

/* Add the counters of a type by its names, and by its number. */
static int mib_add_types(struct counter_provider *provider, const struct mib_types *list)
{
	char number[16];
	unsigned int type, i;
	int error = 0;

	for (i = 0; i < list->n && !error; i++) {
		const struct mib_type *t = &list->types[i];

		error = mib_add_type(provider, list->prefix, t->name, list->group, t->type);
		if (!error)
			error = mib_add_type(provider, list->alias, t->name, list->group, t->type);
	}
	for (type = 0; type < MIB_SENT && !error; type++) {
		if (type > list->low && (type < MIB_HIGH || type > list->high))
			continue;
		snprintf(number, sizeof(number), "Type%u", type);
		error = mib_add_type(provider, list->number_prefix, number, list->group, type);
	}
	return error;
}

static int mib_make(struct counter_provider *provider)
{
	unsigned int i;
	int error;

	mib_text = symbol_address("sock_alloc_file");
	error = mib_mptcp_make();
	for (i = 0; i < ARRAY_SIZE(mib_lists) && !error; i++)
		error = mib_add_list(provider, &mib_lists[i]);
	for (i = 0; i < ARRAY_SIZE(mib_names) && !error; i++)
		error = mib_add(provider, "", mib_names[i].name, mib_names[i].group,
				mib_names[i].entry);
	for (i = 0; i < ARRAY_SIZE(mib_type_lists) && !error; i++)
		error = mib_add_types(provider, &mib_type_lists[i]);
	return error;
}

struct counter_provider mib_counters = {
	.name = "mib",
	.args = {{.type = "int64_t", .native = 0},
		 {.type = "uint64_t *", .native = 1},
		 {.type = "struct net *", .native = 2}},
	.counters = mib_all,
	.make = mib_make,
	.may_change = mib_may_change,
	.locate = mib_locate,
};
