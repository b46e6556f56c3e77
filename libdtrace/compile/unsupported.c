/* SPDX-License-Identifier: MIT */
/*
 * unsupported.c - names of other DTraces that do not exist here, with the reason or a substitute.
 */
#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "unsupported.h"

static const char streams[] = "Linux has no STREAMS";
static const char sx[] = "Linux has no sx locks";
static const char apple[] = "it serves a facility of macOS";
static const char windows[] = "it serves a facility of Windows";
static const char counter[] = "counters of the processor are not read by clauses";
static const char physical[] = "clauses do not see physical memory";
static const char none[] = "leave it out: there is nothing like it";
static const char clock[] = "use timestamp";
static const char cpu_clock[] = "use vtimestamp";

static const dt_unsupported_t unsupported[] = {
	{"ddi_pathname", "Linux has no tree of device instances", none},
	{"msgsize", streams, "read skb->len of a struct sk_buff *"},
	{"msgdsize", streams, "read skb->len of a struct sk_buff *"},
	{"sx_shared_held", sx, "use rw_read_held(lock)"},
	{"sx_exclusive_held", sx, "use rw_write_held(lock)"},
	{"sx_isexclusive", sx, "use rw_iswriter(lock)"},
	{"pcap", "packets are not written to files", "use tracemem(address, 64)"},
	{"etw_trace", windows, "use printf(\"format\", ...)"},
	{"lkd", windows, none},
	{"irql", "Linux has no such levels", "use ipl"},
	{"apple_log", apple, "use printf(\"format\", ...)"},
	{"apple_general", apple, none},
	{"apple_stack", apple, "use stack()"},
	{"apple_ustack", apple, "use ustack()"},
	{"apple_flag", apple, none},
	{"apple_define", apple, none},
	{"pidresume", "processes are resumed by signals", "use system(\"kill -CONT %d\", pid)"},
	{"kdebug_trace", apple, "use printf(\"format\", ...)"},
	{"kdebug_trace_string", apple, "use printf(\"format\", ...)"},
	{"livedump", apple, none},
	{"vm_kernel_addrperm", apple, none},
	{"dispatchqaddr", apple, none},
	{"strip", "pointers carry no signature on this machine", "use the pointer itself"},
	{"true", "D has no names for truth", "write 1"},
	{"false", "D has no names for truth", "write 0"},
	{"mtons", "timestamp is in nanoseconds already", "use the value itself"},
	{"machtimestamp", "timestamp is in nanoseconds already", clock},
	{"machctimestamp", "timestamp is in nanoseconds already", clock},
	{"kvtophys", physical, none},
	{"physmem_read", physical, none},
	{"physmem_write", physical, none},
	{"vmregs", "registers of a hypervisor are not visible", none},
	{"cpucycles", counter, clock},
	{"cpuinstrs", counter, clock},
	{"vcycles", counter, cpu_clock},
	{"vinstrs", counter, cpu_clock},
};

/* A name of other systems, and what to use here. */
typedef struct dt_instead {
	const char *name, *instead;
} dt_instead_t;

/* Types and tags of the kernels of Solaris, FreeBSD and macOS. */
static const dt_instead_t unsupported_types[] = {
	{"kmutex_t", "struct mutex"},
	{"lck_mtx_t", "struct mutex"},
	{"mtx", "struct mutex"},
	{"krwlock_t", "struct rw_semaphore"},
	{"lck_rw_t", "struct rw_semaphore"},
	{"sx", "struct rw_semaphore"},
	{"rwlock", "struct rw_semaphore"},
	{"ksema_t", "struct semaphore"},
	{"kcondvar_t", "wait_queue_head_t"},
	{"in6_addr_t", "struct in6_addr"},
	{"in_addr_t", "__be32"},
	{"ipaddr_t", "__be32"},
	{"ipha_t", "struct iphdr"},
	{"ip6_t", "struct ipv6hdr"},
	{"tcph_t", "struct tcphdr"},
	{"tcpha_t", "struct tcphdr"},
	{"udpha_t", "struct udphdr"},
	{"tcp_t", "struct tcp_sock"},
	{"tcpcb", "struct tcp_sock"},
	{"udp_t", "struct udp_sock"},
	{"conn_t", "struct sock"},
	{"conninfo_t", "csinfo_t and tcpsinfo_t"},
	{"inpcb", "struct inet_sock"},
	{"sonode", "struct socket"},
	{"mblk_t", "struct sk_buff"},
	{"mbuf", "struct sk_buff"},
	{"ill_t", "struct net_device"},
	{"ifnet", "struct net_device"},
	{"kthread_t", "struct task_struct"},
	{"klwp_t", "struct task_struct"},
	{"thread", "struct task_struct"},
	{"proc_t", "struct task_struct"},
	{"proc", "struct task_struct"},
	{"cred_t", "struct cred"},
	{"ucred", "struct cred"},
	{"vnode_t", "struct inode"},
	{"vnode", "struct inode"},
	{"vfs_t", "struct super_block"},
	{"file_t", "struct file"},
	{"buf_t", "struct bio"},
	{"buf", "struct bio"},
	{"dev_info_t", "struct device"},
	{"page_t", "struct page"},
	{"vm_page", "struct page"},
	{"disp_t", "struct rq"},
	{"kmem_cache_t", "struct kmem_cache"},
	{"as", "struct mm_struct"},
	{"vmspace", "struct mm_struct"},
	{"callout_t", "struct timer_list"},
	{"callout", "struct timer_list"},
	{"taskq_t", "struct workqueue_struct"},
	{"uio_t", "struct iov_iter"},
	{"uio", "struct iov_iter"},
	{"znode_t", "struct inode"},
	{"rnode_t", "struct inode"},
	{"vattr_t", "struct kstat"},
	{"vattr", "struct kstat"},
	{"seg_t", "struct vm_area_struct"},
	{"zone_t", "struct pid_namespace"},
	{"prison", "struct pid_namespace"},
	{"scsi_pkt", "struct scsi_cmnd"},
	{"k_sigset_t", "sigset_t"},
	{"register_t", "ssize_t"},
	{"greg_t", "ssize_t"},
	{"timespec_t", "struct __kernel_timespec"},
	{"timeval_t", "struct __kernel_old_timeval"},
	{"vm_offset_t", "ulong"},
	{"vm_size_t", "ulong"},
};

const dt_unsupported_t *unsupported_name(const char *name)
{
	for (size_t i = 0; i < sizeof(unsupported) / sizeof(*unsupported); i++)
		if (strcmp(unsupported[i].name, name) == 0)
			return &unsupported[i];
	return NULL;
}

static const char *instead_of(const dt_instead_t *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].name, name) == 0)
			return list[i].instead;
	return NULL;
}

const char *unsupported_symbol(const char *name)
{
	static const char watermarks[] = "Linux has `min_free_kbytes instead, and watermarks in "
					 "each struct zone";
	static const char counts[] = "use `freemem, `physmem and the probes of vminfo";
	static const dt_instead_t symbols[] = {
		{"averunnable", "use `avenrun[0] to [2], which are multiplied by 2048"},
		{"fscale", "write 2048: that is what `avenrun[0] to [2] are multiplied by"},
		{"loads", "use `avenrun[0] to [2], which are multiplied by 2048"},
		{"practive", "Linux has `init_task.tasks instead, a list of struct task_struct"},
		{"allproc", "Linux has `init_task.tasks instead, a list of struct task_struct"},
		{"cpu_list", "use cpu, curcpu and `__cpu_online_mask"},
		{"cpus", "use cpu, curcpu and `__cpu_online_mask"},
		{"kas", "Linux has `init_mm instead"},
		{"kernel_map", "Linux has `init_mm instead"},
		{"rootdir", "Linux has curthread->fs->root instead"},
		{"rootvnode", "Linux has curthread->fs->root instead"},
		{"boottime", "use walltimestamp and timestamp"},
		{"boot_time", "use walltimestamp and timestamp"},
		{"time_second", "use walltimestamp / 1000000000"},
		{"time_uptime", "use timestamp / 1000000000"},
		{"minfree", watermarks},
		{"desfree", watermarks},
		{"lotsfree", watermarks},
		{"availrmem", counts},
		{"cnt", counts},
		{"vm_cnt", counts},
		{"devnamesp", "use args[1]->dev_name of io probes"},
		{"panicstr", "use `panic_on_oops and `oops_in_progress"},
	};

	return instead_of(symbols, sizeof(symbols) / sizeof(*symbols), name);
}

const char *unsupported_member(const char *tag, const char *name)
{
	static const char task[] = "use curpsinfo, curlwpsinfo and curcpu, which have the same "
				   "members on all systems";
	static const struct {
		const char *tag, *prefix, *instead;
	} members[] = {
		{"task_struct", "t_", task},
		{"task_struct", "td_", task},
		{"task_struct", "p_", task},
		{"task_struct", "lwp_", task},
		{"inode", "v_", "use fds[fd].fi_pathname, or f_path of a struct file *"},
		{"sock", "conn_", "use args[3] of the probes of tcp, or __sk_common"},
		{"tcp_sock", "tcp_", "use args[3] of the probes of tcp, or inet_conn"},
		{"sk_buff", "b_", "use data and len"},
		{"bio", "b_", "use args[0] of the probes of io, a bufinfo_t *"},
		{"cred", "cr_", "use uid and gid, whose members are called val"},
		{"msghdr", "msg_iov", "the kernel has msg_iter; programs have struct user_msghdr"},
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (strcmp(tag, members[i].tag) == 0 &&
		    strncmp(name, members[i].prefix, strlen(members[i].prefix)) == 0)
			return members[i].instead;
	return NULL;
}

const char *unsupported_type(const char *name)
{
	return instead_of(unsupported_types, sizeof(unsupported_types) / sizeof(*unsupported_types),
			  name);
}

const char *unsupported_tag(const char *name)
{
	static const dt_instead_t tags[] = {
		{"timespec", "__kernel_timespec"},
		{"timeval", "__kernel_old_timeval"},
		{"itimerspec", "__kernel_itimerspec"},
		{"itimerval", "__kernel_old_itimerval"},
		{"timex", "__kernel_timex"},
		{"utsname", "new_utsname"},
		{"sockaddr_storage", "__kernel_sockaddr_storage"},
		{"dirent", "linux_dirent64"},
	};

	return instead_of(tags, sizeof(tags) / sizeof(*tags), name);
}

const char *unsupported_copy(const char *tag)
{
	static const dt_instead_t tags[] = {
		{"msghdr", "use struct user_msghdr"},
		{"msqid_ds", "use struct msqid64_ds"},
		{"semid_ds", "use struct semid64_ds"},
		{"shmid_ds", "use struct shmid64_ds"},
		{"tm", "define it: struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, "
		       "tm_year; };"},
	};

	return instead_of(tags, sizeof(tags) / sizeof(*tags), tag);
}

/*
 * System calls of other systems, and functions of C libraries that make another call. In some of
 * them arguments have other positions, so they are no aliases of the calls.
 */
static const dt_instead_t unsupported_calls[] = {
	{"open64", "openat"},
	{"creat64", "openat"},
	{"xstat", "newfstatat and statx"},
	{"lxstat", "newfstatat and statx"},
	{"fxstat", "newfstatat and fstat"},
	{"newstat", "stat"},
	{"newlstat", "lstat"},
	{"newfstat", "fstat"},
	{"fstatat", "newfstatat"},
	{"fstatat64", "newfstatat"},
	{"stat64", "newfstatat and statx"},
	{"lstat64", "newfstatat and statx"},
	{"fstat64", "newfstatat and fstat"},
	{"fcntl64", "fcntl"},
	{"newuname", "uname"},
	{"sendfile64", "sendfile"},
	{"sendfilev", "sendfile"},
	{"umount", "umount2"},
	{"unmount", "umount2"},
	{"umount64", "umount2"},
	{"nmount", "mount and fsconfig"},
	{"statvfs", "statfs"},
	{"statvfs64", "statfs"},
	{"fstatvfs", "fstatfs"},
	{"fstatvfs64", "fstatfs"},
	{"pread", "pread64"},
	{"pwrite", "pwrite64"},
	{"llseek", "lseek"},
	{"_llseek", "lseek"},
	{"lseek64", "lseek"},
	{"mmap64", "mmap"},
	{"mmap2", "mmap"},
	{"memcntl", "madvise, mlock and msync"},
	{"break", "brk"},
	{"getdirentries", "getdents64"},
	{"getdirentries64", "getdents64"},
	{"__getcwd", "getcwd"},
	{"resolvepath", "readlink and getcwd"},
	{"setrlimit64", "prlimit64"},
	{"getrlimit64", "prlimit64"},
	{"fork1", "clone, clone3 and vfork"},
	{"forkall", "clone, clone3 and vfork"},
	{"forksys", "clone, clone3 and vfork"},
	{"rfork", "clone, clone3 and vfork"},
	{"pdfork", "clone3"},
	{"posix_spawn", "clone3, vfork and execve"},
	{"spawn", "clone3, vfork and execve"},
	{"exec", "execve"},
	{"exece", "execve"},
	{"fexecve", "execveat"},
	{"rexit", "exit_group"},
	{"sys_exit", "exit_group"},
	{"wait", "wait4 and waitid"},
	{"waitsys", "wait4 and waitid"},
	{"waitpid", "wait4"},
	{"wait6", "waitid"},
	{"lwp_create", "clone and clone3"},
	{"lwp_exit", "exit"},
	{"lwp_self", "gettid"},
	{"lwp_kill", "tgkill"},
	{"lwp_park", "futex"},
	{"lwp_wait", "futex"},
	{"lwp_suspend", "tgkill"},
	{"lwp_continue", "tgkill"},
	{"lwp_sigmask", "rt_sigprocmask"},
	{"lwp_mutex_timedlock", "futex"},
	{"lwp_mutex_wakeup", "futex"},
	{"lwp_cond_wait", "futex"},
	{"lwp_cond_signal", "futex"},
	{"lwp_cond_broadcast", "futex"},
	{"lwp_sema_timedwait", "futex"},
	{"thr_new", "clone and clone3"},
	{"thr_exit", "exit"},
	{"thr_self", "gettid"},
	{"thr_kill", "tgkill"},
	{"_umtx_op", "futex"},
	{"bsdthread_create", "clone and clone3"},
	{"psynch_mutexwait", "futex"},
	{"psynch_cvwait", "futex"},
	{"yield", "sched_yield"},
	{"priocntlsys", "sched_setattr and setpriority"},
	{"processor_bind", "sched_setaffinity"},
	{"pset", "sched_setaffinity"},
	{"cpuset_setaffinity", "sched_setaffinity"},
	{"pollsys", "ppoll and poll"},
	{"portfs", "epoll_wait"},
	{"kqueue", "epoll_create1"},
	{"kevent", "epoll_ctl and epoll_wait"},
	{"kevent64", "epoll_ctl and epoll_wait"},
	{"kaio", "io_submit"},
	{"aio_read", "io_submit and io_uring_enter"},
	{"aio_write", "io_submit and io_uring_enter"},
	{"so_socket", "socket"},
	{"so_socketpair", "socketpair"},
	{"send", "sendto"},
	{"recv", "recvfrom"},
	{"signal", "rt_sigaction"},
	{"sigaction", "rt_sigaction"},
	{"sigprocmask", "rt_sigprocmask"},
	{"sigpending", "rt_sigpending"},
	{"sigsuspend", "rt_sigsuspend"},
	{"sigreturn", "rt_sigreturn"},
	{"sigtimedwait", "rt_sigtimedwait"},
	{"sigwait", "rt_sigtimedwait"},
	{"sigwaitinfo", "rt_sigtimedwait"},
	{"sigqueue", "rt_sigqueueinfo"},
	{"sigsendsys", "kill"},
	{"stime", "clock_settime"},
	{"nice", "setpriority"},
	{"gtime", "gettimeofday, which seldom enters the kernel"},
	{"ntp_adjtime", "adjtimex and clock_adjtime"},
	{"setegid", "setresgid"},
	{"seteuid", "setresuid"},
	{"pgrpsys", "setpgid, getpgid and setsid"},
	{"systeminfo", "uname"},
	{"sysconfig", "sysinfo"},
	{"__sysctl", "openat of a file of /proc/sys"},
	{"sysctl", "openat of a file of /proc/sys"},
	{"uadmin", "reboot"},
	{"modctl", "init_module and delete_module"},
	{"kldload", "init_module and finit_module"},
	{"kldunload", "delete_module"},
	{"sysarch", "arch_prctl"},
};

/* Suffix of the second form in which programs of macOS make many calls. */
static const char unsupported_nocancel[] = "_nocancel";

const char *unsupported_call(const char *name, char *text, size_t len)
{
	const char *instead = instead_of(
		unsupported_calls, sizeof(unsupported_calls) / sizeof(*unsupported_calls), name);
	size_t n = strlen(name), end = sizeof(unsupported_nocancel) - 1;

	if (instead)
		snprintf(text, len, "%s", instead);
	else if (n > end && strcmp(name + n - end, unsupported_nocancel) == 0)
		snprintf(text, len, "%.*s", (int)(n - end), name);
	else
		return NULL;
	return text;
}

const char *unsupported_probe(const char *provider, const char *name)
{
	static const char caps[] =
		"Linux limits groups of processes, not processors: see cpu.max of "
		"cgroups";
	static const char drop[] = "Linux drops packets in many places: use sdt:skb::kfree_skb, "
				   "whose reason tells why";
	static const char schedctl[] = "threads of Linux cannot ask not to be preempted";
	static const char trap[] = "use sdt:exceptions::page_fault_user and page_fault_kernel, "
				   "whose arg2 tells why";
	static const char kind[] =
		"Linux does not count by what the pages are for: use io:::start, "
		"whose args[2] tells the file";
	static const char freed[] = "Linux does not count by what the pages were for: use "
				    "vminfo:::pgfree";
	static const char ticks[] =
		"ticks of idle processors are not counted: use profile:::profile-97";
	static const char wait_io[] =
		"Linux counts no such ticks: use io:::wait-start and io:::wait-done";
	static const char buffers[] =
		"Linux has files in the page cache, of which no reads are counted: use "
		"sysinfo:::sysread and sysinfo:::bread";
	static const char dirty[] = "Linux has files in the page cache: use sysinfo:::syswrite and "
				    "sysinfo:::bwrite";
	static const char raw[] =
		"transfers of the page cache and others are not told apart: use io:::start, "
		"whose args[2] has no name for others";
	static const char terminals[] =
		"Linux counts no characters of terminals: use fbt::n_tty_read:return "
		"and fbt::n_tty_write:return";
	static const char interrupts[] =
		"Linux has no threads of that kind: use sdt:irq::irq_handler_entry";
	static const char mappings[] = "Linux tells file systems of new mappings only: use "
				       "fsinfo:::map";
	static const char inode_lock[] = "Linux locks inodes outside the file systems: use "
					 "lockstat:::rw-acquire";
	static const char no_operation[] = "file systems of Linux have no such operation";
	static const char ufs[] = "Linux has no UFS that counts: use sysinfo:::namei";
	static const char segments[] =
		"Linux does not count such segments: use tcp:::send and tcp:::receive, whose "
		"args[4] has the flags";
	static const char types[] = "Linux counts it by its type only: use "
				    "mib:::icmpInDestUnreachs, mib:::icmpOutDestUnreachs and their "
				    "like, by the names that dtrace -lP mib lists";
	static const char raw_in[] =
		"Linux does not count raw sockets by themselves: use fbt::raw_rcv:entry";
	static const char raw_out[] =
		"Linux does not count raw sockets by themselves: use fbt::raw_sendmsg:entry";
	static const char window[] = "Linux does not count segments beyond the window: use "
				     "sdt:skb::kfree_skb, whose reason tells of them";
	/* A name may be a pattern. */
	static const struct {
		const char *provider, *name, *text;
	} probes[] = {
		{"mib", "icmp*FragNeeded", types},
		{"mib", "icmpInUnknowns", types},
		{"mib", "icmpInOverflows", raw_in},
		{"mib", "icmpOutDrops", "use fbt::icmp_global_allow:return"},
		{"mib", "ipForwProhibits", drop},
		{"mib", "ipIfStatsForwProhibits", drop},
		{"mib", "ipInIPv6", "use mib:::Ip6InReceives"},
		{"mib", "ipOutIPv6", "use mib:::Ip6OutRequests"},
		{"mib", "ip*ReasmDuplicates", "use mib:::IpExtReasmOverlaps"},
		{"mib", "ip*ReasmPartDups", "use mib:::IpExtReasmOverlaps"},
		{"mib", "ipsec*", "use mib:::XfrmInError and its like, or fbt::xfrm_input:entry"},
		{"mib", "ipv6IfIcmp*", "use mib:::Icmp6InMsgs and its like"},
		{"mib", "rawipIn*", raw_in},
		{"mib", "rawipOut*", raw_out},
		{"mib", "sctp*", "use sdt:sctp::"},
		{"mib", "udpOutErrors", "use mib:::UdpSndbufErrors"},
		{"mib", "tcpInDataPastWin*", window},
		{"mib", "tcpInClosed",
		 "Linux does not count segments without a connection: use tcp:::accept-refused"},
		{"mib", "ipIfStatsHCOutTransmits", "use mib:::ipIfStatsHCOutRequests or ip:::send"},
		{"mib", "tcpInAckSegs", segments},
		{"mib", "tcpInAckBytes", segments},
		{"mib", "tcpInAckUnsent", segments},
		{"mib", "tcpInDupAck", segments},
		{"mib", "tcpInWinProbe", segments},
		{"mib", "tcpInWinUpdate", segments},
		{"mib", "tcpOutAck", segments},
		{"mib", "tcpOutControl", segments},
		{"mib", "tcpOutUrg", segments},
		{"mib", "tcpOutWinUpdate", segments},
		{"mib", "tcpOutSackRetransSegs", "use mib:::TcpExtTCPSackRecovery"},
		{"mib", "tcpRttUpdate", "use tcp:::receive, whose args[3]->tcps_rto changes"},
		{"mib", "tcpRttNoUpdate", "use tcp:::receive, whose args[3]->tcps_rto changes"},
		{"mib", "tcpTimKeepaliveDrop", "use mib:::TcpExtTCPAbortOnTimeout"},
		{"vminfo", "pgfrec",
		 "Linux forgets what a page held when it frees it: use vminfo:::pgrec"},
		{"vminfo", "rev", "Linux scans lists, not memory: use vminfo:::scan"},
		{"vminfo", "softlock",
		 "Linux does not count pages that it locks for itself: use vminfo:::as_fault"},
		{"vminfo", "hat_fault", trap},
		{"vminfo", "execpgin", kind},
		{"vminfo", "execpgout", kind},
		{"vminfo", "fspgin", kind},
		{"vminfo", "fspgout", kind},
		{"vminfo", "anonfree", freed},
		{"vminfo", "execfree", freed},
		{"vminfo", "fsfree", freed},
		{"sched", "cpucaps-sleep", caps},
		{"sched", "cpucaps-wakeup", caps},
		{"sched", "schedctl-nopreempt", schedctl},
		{"sched", "schedctl-preempt", schedctl},
		{"sched", "schedctl-yield", schedctl},
		{"sched", "load-change", "use `avenrun[0] to [2], which are multiplied by 2048"},
		{"sched", "lend-pri", "use sched:::change-pri"},
		{"sysinfo", "cpu_ticks_idle", ticks},
		{"sysinfo", "cpu_ticks_kernel", ticks},
		{"sysinfo", "cpu_ticks_user", ticks},
		{"sysinfo", "cpu_ticks_wait", ticks},
		{"sysinfo", "wait_ticks_io", wait_io},
		{"sysinfo", "lread", buffers},
		{"sysinfo", "lwrite", dirty},
		{"sysinfo", "bawrite", dirty},
		{"sysinfo", "phread", raw},
		{"sysinfo", "phwrite", raw},
		{"sysinfo", "rawch", terminals},
		{"sysinfo", "canch", terminals},
		{"sysinfo", "outch", terminals},
		{"sysinfo", "intrblk", interrupts},
		{"sysinfo", "intrthread", interrupts},
		{"sysinfo", "ufsdirblk", ufs},
		{"sysinfo", "ufsiget", ufs},
		{"sysinfo", "ufsinopage", ufs},
		{"sysinfo", "ufsipage", ufs},
		{"fsinfo", "addmap", mappings},
		{"fsinfo", "delmap", mappings},
		{"fsinfo", "cmp", no_operation},
		{"fsinfo", "dispose", "use fsinfo:::inactive"},
		{"fsinfo", "dump", no_operation},
		{"fsinfo", "dumpctl", no_operation},
		{"fsinfo", "fid", "use syscall::name_to_handle_at:entry"},
		{"fsinfo", "pageio", "use fsinfo:::getpage and fsinfo:::putpage"},
		{"fsinfo", "pathconf", "use syscall::statfs:entry and syscall::fstatfs:entry"},
		{"fsinfo", "poll",
		 "use syscall::poll:entry, and those of ppoll, select, pselect6 and epoll_wait"},
		{"fsinfo", "realvp", no_operation},
		{"fsinfo", "rwlock", inode_lock},
		{"fsinfo", "rwunlock", inode_lock},
		{"fsinfo", "shrlock", no_operation},
		{"fsinfo", "vnevent", no_operation},
		{"lockstat", "rw-upgrade",
		 "a reader of a lock of Linux cannot become its writer: use lockstat:::rw-acquire"},
		{"lockstat", "thread-spin",
		 "Linux has no locks of threads: use lockstat:::spin-spin, of run queues too"},
		{"ip", "drop-in", drop},
		{"ip", "drop-out", drop},
	};

	for (size_t i = 0; i < sizeof(probes) / sizeof(*probes); i++)
		if (strcmp(probes[i].provider, provider) == 0 &&
		    fnmatch(probes[i].name, name, 0) == 0)
			return probes[i].text;
	return NULL;
}

/*
 * Return whether a name is a provider's, or that with a process number or a pattern for one at its
 * end.
 */
static bool unsupported_is(const char *name, const char *provider)
{
	size_t len = strlen(provider);

	return strncmp(name, provider, len) == 0 &&
	       !name[len + strspn(name + len, "0123456789\\*?")];
}

const char *unsupported_provider(const char *name)
{
	static const dt_instead_t providers[] = {
		{"vfs", "use fsinfo:::read and its like, or fbt::vfs_read:entry"},
		{"plockstat", "use pid$target::pthread_mutex_lock:entry and its like"},
		{"nfsv3", "use sdt:nfs:: and sdt:nfsd::"},
		{"nfsv4", "use sdt:nfs4:: and sdt:nfsd::"},
		{"mach_trap", "use syscall:::"},
		{"rawfbt", "use fbt:::"},
		{"fpuinfo", "use sdt:x86_fpu::"},
		{"sctp", "use sdt:sctp::"},
		{"kprobe", "use fbt::FUNCTION:entry"},
		{"kfunc", "use fbt::FUNCTION:entry"},
		{"fentry", "use fbt::FUNCTION:entry"},
		{"kretprobe", "use fbt::FUNCTION:return"},
		{"kretfunc", "use fbt::FUNCTION:return"},
		{"fexit", "use fbt::FUNCTION:return"},
		{"tracepoint", "use sdt:GROUP::NAME, and syscall::CALL:entry and its like"},
		{"rawtracepoint", "use sdt:GROUP::NAME"},
		{"pid", "use pid$target:MODULE:FUNCTION:entry"},
		{"uprobe", "use pid$target:MODULE:FUNCTION:entry"},
		{"uretprobe", "use pid$target:MODULE:FUNCTION:return"},
		{"usdt", "use PROVIDER$target:::NAME, or PROVIDER*:::NAME"},
		{"interval", "use tick-1s and its like"},
		{"iscsi", ""},
		{"objc", ""},
		{"smb", ""},
		{"xnu", ""},
		{"etw", ""},
	};

	for (size_t i = 0; i < sizeof(providers) / sizeof(*providers); i++)
		if (unsupported_is(name, providers[i].name))
			return providers[i].instead;
	return NULL;
}
