// SPDX-License-Identifier: MIT
/*
 * victim.c - a program to be traced: carry out the verbs of the command line, one after another.
 *
 *	victim tell up wait go fire 3 fork fire 2 end join text
 *
 *	fire N, pair N		fire victim:::tick(i), victim:::pair(i, "text i")
 *	wide, dozen		fire :::wide with arguments of all sizes, :::dozen with 12 of them
 *	both N			fire :::both in two functions
 *	sum N			call sum_eight(i, 2 * i, ... 8 * i)
 *	guarded N		N times, fire :::guarded(i) if enabled; print how often it was
 *				enabled
 *	forever			fire tick and guarded until a signal ends it
 *	tell FIFO, wait FIFO	write the pid into it; read a line from it
 *	show N			fire pair(i, "text i"), then print the text, which a tracer may have
 *				changed
 *	print TEXT		print a line
 *	text			print how many bytes of the program text differ from the files
 *	fork ... end		let a child carry out the verbs between
 *	vfork ... end		let a new program do so, by vfork and exec
 *	thread ... end		let a thread do so
 *	join			wait for all children and threads; print the children that died of
 *				SIGTRAP
 *	repeat N ... end	carry out the verbs between N times
 *	exec VERB...		become a new victim that does the rest (an `end` in it does nothing)
 *	execfd VERB...		do so by a descriptor of the program
 *	run PROGRAM ARG...	become that program
 *	dlopen FILE, dlclose	load and unload a library; plug N: fire its probe plug:::hit(i)
 *	die			kill this process with SIGKILL
 *	undumpable		forbid other processes of the user to read this one's memory
 *	filter HOW		let a filter of this thread handle the system calls by which a
 *				tracer works in a process: allow, EPERM, trap (SIGSYS) or kill;
 *				container: refuse those that containers refuse; ptrace, pidfd,
 *				memfd, perf: and ptrace(), pidfd_open(), memfd_create() or
 *				perf_event_open(), as strict ones do; strict: kill at all calls but
 *				read, write and exit
 *	mdwe			refuse memory that becomes executable
 *	timeless		fault at instructions that read the time stamp counter
 *	fixed			let programs that this process executes have the same addresses each
 *				time
 *	limit as|nofile|nproc N	allow only N more bytes, descriptors, or processes of the user
 *	limit locked N		lock all memory that is mapped from now on, N bytes at most
 *	read, say TEXT		read a byte from stdin; write a line: by a system call of that name,
 *				and nothing else
 *	asleep			sleep uninterruptibly, by vfork, until the child has read a byte
 *				from stdin
 *	cpu N			run on the Nth CPU, counted from 0; on any, if there are not so many
 *	leave			end the thread
 *	exit N			end with that status
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim_probes.h"

#define MAX_THREADS 512

struct verb {
	const char *name;
	int nargs;		   /* words that must follow */
	char **(*run)(char **arg); /* arg: first argument; return the word after the last */
};

static void run_verbs(char **word, char **end);

static char *self; /* the program's file */
static pthread_t threads[MAX_THREADS];
static int nthreads;

static void __attribute__((noreturn)) fail(const char *what, const char *why)
{
	fprintf(stderr, "victim: %s: %s\n", what, why);
	exit(3);
}

/* ---- probes ---- */

static __attribute__((noinline)) void fire_tick(int i)
{
	VICTIM_TICK(i);
}

static char **verb_fire(char **arg)
{
	int n = atoi(arg[0]);

	for (int i = 1; i <= n; i++)
		fire_tick(i);
	return arg + 1;
}

/* One site for all callers. */
static __attribute__((noinline)) void fire_pair(int i, char *text)
{
	sprintf(text, "text %d", i);
	VICTIM_PAIR(i, text);
}

static char **verb_pair(char **arg)
{
	int n = atoi(arg[0]);
	char text[32];

	for (int i = 1; i <= n; i++)
		fire_pair(i, text);
	return arg + 1;
}

static char **verb_show(char **arg)
{
	int n = atoi(arg[0]);
	char text[32];

	for (int i = 1; i <= n; i++) {
		fire_pair(i, text);
		puts(text);
	}
	return arg + 1;
}

static char **verb_wide(char **arg)
{
	VICTIM_WIDE(-1, 255, -2, 65535, -3, 4294967295U, -4LL, 18446744073709551615ULL, "ninth",
		    10);
	return arg;
}

static char **verb_dozen(char **arg)
{
	int n = -6;

	VICTIM_DOZEN(n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9, n + 10,
		     n + 11);
	return arg;
}

static __attribute__((noinline)) void both_first(int i)
{
	VICTIM_BOTH(i);
}

static __attribute__((noinline)) void both_second(int i)
{
	VICTIM_BOTH(-i);
}

static char **verb_both(char **arg)
{
	int n = atoi(arg[0]);

	for (int i = 1; i <= n; i++) {
		both_first(i);
		both_second(i);
	}
	return arg + 1;
}

/*
 * Return the sum of the first two arguments, at sum_even, if the first is even; else add the
 * eighth, and return at sum_odd.
 */
long sum_eight(long a, long b, long c, long d, long e, long f, long g, long h);
#ifdef __x86_64__
__asm__(".text\n.type sum_eight, @function\nsum_eight:\n"
	"lea (%rdi,%rsi), %rax\n"
	"test $1, %dil\n"
	"jne 1f\n"
	"sum_even: ret\n"
	"1: add 16(%rsp), %rax\n"
	"sum_odd: ret\n"
	".size sum_eight, . - sum_eight\n");
#else
__asm__(".text\n.type sum_eight, @function\nsum_eight:\n"
	"mov 4(%esp), %eax\n"
	"add 8(%esp), %eax\n"
	"testb $1, 4(%esp)\n"
	"jne 1f\n"
	"sum_even: ret\n"
	"1: add 32(%esp), %eax\n"
	"sum_odd: ret\n"
	".size sum_eight, . - sum_eight\n");
#endif

static char **verb_sum(char **arg)
{
	long n = atoi(arg[0]);

	for (long i = 1; i <= n; i++)
		sum_eight(i, 2 * i, 3 * i, 4 * i, 5 * i, 6 * i, 7 * i, 8 * i);
	return arg + 1;
}

static __attribute__((noinline)) int fire_guarded(int i)
{
	if (!VICTIM_GUARDED_ENABLED())
		return 0;
	VICTIM_GUARDED(i);
	return 1;
}

static char **verb_guarded(char **arg)
{
	int n = atoi(arg[0]), prepared = 0;

	for (int i = 1; i <= n; i++)
		prepared += fire_guarded(i);
	printf("guarded: enabled %d of %d times\n", prepared, n);
	return arg + 1;
}

static char **verb_forever(char **arg)
{
	for (int i = 0;; i++) {
		fire_tick(i);
		fire_guarded(i);
	}
	return arg;
}

/* ---- handshakes ---- */

static char **verb_tell(char **arg)
{
	FILE *fp = fopen(arg[0], "w");

	if (!fp)
		fail(arg[0], strerror(errno));
	fprintf(fp, "%d\n", getpid());
	fclose(fp);
	return arg + 1;
}

static char **verb_wait(char **arg)
{
	char line[64];
	FILE *fp = fopen(arg[0], "r");

	if (!fp)
		fail(arg[0], strerror(errno));
	if (!fgets(line, sizeof(line), fp))
		fail(arg[0], "closed without a word");
	fclose(fp);
	return arg + 1;
}

static char **verb_print(char **arg)
{
	puts(arg[0]);
	return arg + 1;
}

/* ---- the program's text ---- */

/* Return how many bytes at start differ from the file's at offset. */
static unsigned long bytes_changed(const unsigned char *start, size_t len, const char *path,
				   off_t offset)
{
	unsigned long changed = 0;
	unsigned char *file = malloc(len);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 || !file ? -1 : pread(fd, file, len, offset);

	if (n < 0)
		fail(path, strerror(errno));
	for (ssize_t i = 0; i < n; i++)
		changed += start[i] != file[i];
	close(fd);
	free(file);
	return changed;
}

static unsigned long mapping_changed(const char *line)
{
	unsigned long start, end, offset;
	char perms[5], path[4096] = "";
	const char *base;

	if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %4095s", &start, &end, perms, &offset, path) < 4)
		return 0;
	base = strrchr(path, '/');
	if (!base || perms[2] != 'x')
		return 0;
	if (strncmp(base, "/victim", 7) && strncmp(base, "/libplug", 8))
		return 0;
	return bytes_changed((unsigned char *)start, end - start, path, (off_t)offset);
}

static char **verb_text(char **arg)
{
	unsigned long changed = 0;
	char line[4096 + 128];
	FILE *maps = fopen("/proc/self/maps", "re");

	if (!maps)
		fail("/proc/self/maps", strerror(errno));
	while (fgets(line, sizeof(line), maps))
		changed += mapping_changed(line);
	fclose(maps);
	printf("text: %lu bytes changed\n", changed);
	return arg;
}

/* ---- processes and threads ---- */

/* Return the `end` that closes the block whose first word is given. */
static char **block_end(char **word)
{
	int depth = 1;

	for (; *word; word++) {
		if (!strcmp(*word, "fork") || !strcmp(*word, "vfork") || !strcmp(*word, "thread") ||
		    !strcmp(*word, "repeat"))
			depth++;
		if (!strcmp(*word, "end") && --depth == 0)
			return word;
	}
	fail("end", "missing");
}

static char **verb_fork(char **arg)
{
	char **end = block_end(arg);
	pid_t pid = fork();

	if (pid < 0)
		fail("fork", strerror(errno));
	if (!pid) {
		run_verbs(arg, end);
		exit(0);
	}
	return end + 1;
}

/* Execute a new victim; argv[0] is a word that may be overwritten. */
static void __attribute__((noreturn)) become_victim(char **argv)
{
	argv[0] = self;
	execv(self, argv);
	fail(self, strerror(errno));
}

/* Copy the words: other threads read them at the same time. */
static char **verb_vfork(char **arg)
{
	char **end = block_end(arg);
	const size_t n = (size_t)(end - arg);
	char *argv[n + 2];
	pid_t pid;

	argv[0] = self;
	memcpy(argv + 1, arg, n * sizeof(*arg));
	argv[n + 1] = NULL;
	pid = vfork();
	if (!pid) {
		execv(self, argv);
		_exit(127);
	}
	if (pid < 0)
		fail("vfork", strerror(errno));
	return end + 1;
}

static void *thread_main(void *data)
{
	char **word = data;

	run_verbs(word, block_end(word));
	return NULL;
}

static char **verb_thread(char **arg)
{
	if (nthreads == MAX_THREADS)
		fail("thread", "too many");
	if (pthread_create(&threads[nthreads++], NULL, thread_main, arg))
		fail("thread", "cannot be created");
	return block_end(arg) + 1;
}

/* Print children that died of a breakpoint. */
static char **verb_join(char **arg)
{
	int status;
	pid_t pid;

	while ((pid = wait(&status)) > 0 || errno == EINTR)
		if (pid > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP)
			printf("a child died of SIGTRAP\n");
	while (nthreads > 0)
		pthread_join(threads[--nthreads], NULL);
	return arg;
}

static char **verb_repeat(char **arg)
{
	char **end = block_end(arg + 1);

	for (int n = atoi(arg[0]); n > 0; n--)
		run_verbs(arg + 1, end);
	return end + 1;
}

static char **verb_exec(char **arg)
{
	become_victim(arg - 1);
}

extern char **environ;

static char **verb_execfd(char **arg)
{
	arg[-1] = self;
	fexecve(open(self, O_RDONLY | O_CLOEXEC), arg - 1, environ);
	fail(self, strerror(errno));
}

static char **verb_run(char **arg)
{
	execvp(arg[0], arg);
	fail(arg[0], strerror(errno));
}

static char **verb_end(char **arg)
{
	return arg;
}

static char **verb_undumpable(char **arg)
{
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		fail("prctl", strerror(errno));
	return arg;
}

#define MAX_FILTERED 10

/* Filters of system calls: the calls, up to the first 0, and how they are answered. */
#define TRACERS                                                                       \
	SYS_mmap, SYS_mprotect, SYS_munmap, SYS_madvise, SYS_socketpair, SYS_recvmsg, \
		SYS_process_vm_readv, SYS_process_vm_writev, SYS_sched_yield
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
static const struct filter {
	const char *name;
	unsigned int action, calls[MAX_FILTERED];
} filters[] = {{"allow", SECCOMP_RET_ALLOW, {TRACERS}},
	       {"EPERM", REFUSE, {TRACERS}},
	       {"trap", SECCOMP_RET_TRAP, {TRACERS}},
	       {"kill", SECCOMP_RET_KILL_PROCESS, {TRACERS}},
	       {"container", REFUSE, {SYS_kcmp, SYS_pidfd_getfd}},
	       {"ptrace", REFUSE, {SYS_kcmp, SYS_pidfd_getfd, SYS_ptrace}},
	       {"pidfd", REFUSE, {SYS_kcmp, SYS_pidfd_getfd, SYS_pidfd_open}},
	       {"memfd", REFUSE, {SYS_kcmp, SYS_pidfd_getfd, SYS_memfd_create}},
	       {"perf", REFUSE, {SYS_kcmp, SYS_pidfd_getfd, SYS_perf_event_open}}};

static void filter_install(const struct filter *f)
{
	struct sock_filter code[MAX_FILTERED + 3], *at = code;
	struct sock_fprog filter = {.filter = code};
	size_t n = 0;

	while (n < MAX_FILTERED && f->calls[n])
		n++;
	*at++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					     offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < n; i++)
		*at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, f->calls[i],
						     (unsigned char)(n - i), 0);
	*at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	*at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, f->action);
	filter.len = (unsigned short)(at - code);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		fail("filter", strerror(errno));
}

static char **verb_filter(char **arg)
{
	int found = !strcmp(arg[0], "strict");

	if (found && prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
		fail("filter", strerror(errno));
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		if (!strcmp(arg[0], filters[i].name)) {
			filter_install(&filters[i]);
			found = 1;
		}
	if (!found)
		fail("filter", arg[0]);
	return arg + 1;
}

#ifndef PR_SET_MDWE
#define PR_SET_MDWE		 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

static char **verb_fixed(char **arg)
{
	if (personality(ADDR_NO_RANDOMIZE) == -1)
		fail("personality", strerror(errno));
	return arg;
}

static char **verb_mdwe(char **arg)
{
	if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0)
		fail("mdwe", strerror(errno));
	return arg;
}

static char **verb_timeless(char **arg)
{
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0)
		fail("timeless", strerror(errno));
	return arg;
}

/* Return how many bytes are mapped. */
static unsigned long bytes_mapped(void)
{
	unsigned long pages = 0;
	FILE *fp = fopen("/proc/self/statm", "r");

	if (!fp || fscanf(fp, "%lu", &pages) != 1)
		fail("statm", strerror(errno));
	fclose(fp);
	return pages * (unsigned long)sysconf(_SC_PAGESIZE);
}

static char **verb_limit(char **arg)
{
	const unsigned long more = strtoul(arg[1], NULL, 0);
	struct rlimit limit;
	int which, next;

	if (!strcmp(arg[0], "as")) {
		which = RLIMIT_AS;
		limit.rlim_cur = bytes_mapped() + more;
	} else if (!strcmp(arg[0], "nofile")) {
		which = RLIMIT_NOFILE;
		next = dup(0);
		close(next);
		limit.rlim_cur = (unsigned long)next + more;
	} else if (!strcmp(arg[0], "data")) {
		which = RLIMIT_DATA;
		limit.rlim_cur = more;
	} else {
		which = strcmp(arg[0], "locked") ? RLIMIT_NPROC : RLIMIT_MEMLOCK;
		limit.rlim_cur = more;
	}
	limit.rlim_max = limit.rlim_cur;
	if (setrlimit(which, &limit) != 0)
		fail("limit", strerror(errno));
	if (which == RLIMIT_MEMLOCK && mlockall(MCL_FUTURE) != 0)
		fail("mlockall", strerror(errno));
	return arg + 2;
}

/* Make so many mappings that the kernel permits only a few more, at most the argument. */
static char **verb_mapped(char **arg)
{
	const size_t few = strtoul(arg[0], NULL, 0), page = (size_t)sysconf(_SC_PAGESIZE);
	char *at[1024], *new;
	size_t n = 0;

	/* neighbours differ, so that the kernel does not join them */
	for (int odd = 0; few < sizeof(at) / sizeof(at[0]); odd = !odd) {
		new = mmap(NULL, page, odd ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);
		if (new == MAP_FAILED)
			break;
		at[n++ % (sizeof(at) / sizeof(at[0]))] = new;
	}
	for (size_t i = 0; i < few && n; i++)
		munmap(at[--n % (sizeof(at) / sizeof(at[0]))], page);
	return arg + 1;
}

static char **verb_read(char **arg)
{
	char byte;

	if (read(0, &byte, 1) != 1)
		syscall(SYS_exit, 3);
	return arg;
}

static char **verb_cpu(char **arg)
{
	const unsigned long cpus = 1UL << (strtoul(arg[0], NULL, 0) % 64);

	syscall(SYS_sched_setaffinity, 0, sizeof(cpus), &cpus);
	return arg + 1;
}

static char **verb_asleep(char **arg)
{
	char byte;
	pid_t pid = vfork();

	if (!pid)
		_exit(read(0, &byte, 1) != 1);
	waitpid(pid, NULL, 0);
	return arg;
}

static char **verb_say(char **arg)
{
	char line[64];
	const size_t n = (size_t)snprintf(line, sizeof(line), "%s\n", arg[0]);

	if (write(1, line, n) != (ssize_t)n)
		syscall(SYS_exit, 3);
	return arg + 1;
}

static char **verb_leave(char **arg)
{
	syscall(SYS_exit, 0);
	return arg;
}

static char **verb_die(char **arg)
{
	kill(getpid(), SIGKILL);
	return arg;
}

static char **verb_exit(char **arg)
{
	exit(atoi(arg[0]));
}

/* ---- libraries ---- */

#ifdef VICTIM_STATIC
static char **verb_dlopen(char **arg)
{
	fail(arg[0], "a static program loads no libraries");
}

static char **verb_dlclose(char **arg)
{
	return arg;
}

static char **verb_plug(char **arg)
{
	return arg + 1;
}
#else
static void *library;

static char **verb_dlopen(char **arg)
{
	library = dlopen(arg[0], RTLD_NOW);
	if (!library)
		fail("dlopen", dlerror());
	return arg + 1;
}

static char **verb_dlclose(char **arg)
{
	if (!library || dlclose(library))
		fail("dlclose", "failed");
	library = NULL;
	return arg;
}

static char **verb_plug(char **arg)
{
	void (*fire)(int) = library ? (void (*)(int))dlsym(library, "plug_fire") : NULL;

	if (!fire)
		fail("plug", "no library loaded");
	fire(atoi(arg[0]));
	return arg + 1;
}
#endif

/* ---- the machine ---- */

static const struct verb verbs[] = {
	{"asleep", 0, verb_asleep},
	{"both", 1, verb_both},
	{"cpu", 1, verb_cpu},
	{"die", 0, verb_die},
	{"dlclose", 0, verb_dlclose},
	{"dlopen", 1, verb_dlopen},
	{"dozen", 0, verb_dozen},
	{"end", 0, verb_end},
	{"exec", 0, verb_exec},
	{"execfd", 0, verb_execfd},
	{"exit", 1, verb_exit},
	{"filter", 1, verb_filter},
	{"fire", 1, verb_fire},
	{"forever", 0, verb_forever},
	{"fork", 0, verb_fork},
	{"guarded", 1, verb_guarded},
	{"join", 0, verb_join},
	{"leave", 0, verb_leave},
	{"limit", 2, verb_limit},
	{"mapped", 1, verb_mapped},
	{"mdwe", 0, verb_mdwe},
	{"pair", 1, verb_pair},
	{"fixed", 0, verb_fixed},
	{"plug", 1, verb_plug},
	{"print", 1, verb_print},
	{"read", 0, verb_read},
	{"repeat", 1, verb_repeat},
	{"run", 1, verb_run},
	{"say", 1, verb_say},
	{"show", 1, verb_show},
	{"sum", 1, verb_sum},
	{"tell", 1, verb_tell},
	{"text", 0, verb_text},
	{"thread", 0, verb_thread},
	{"undumpable", 0, verb_undumpable},
	{"vfork", 0, verb_vfork},
	{"wait", 1, verb_wait},
	{"wide", 0, verb_wide},
	{"timeless", 0, verb_timeless},
};

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	fail(name, "not a verb");
}

/* Carry out the words from word up to end. */
static void run_verbs(char **word, char **end)
{
	while (word < end) {
		const struct verb *verb = find_verb(*word);

		if (end - word <= verb->nargs)
			fail(verb->name, "argument missing");
		word = verb->run(word + 1);
	}
}

int main(int argc, char **argv)
{
	self = realpath("/proc/self/exe", NULL);
	if (!self)
		fail("/proc/self/exe", strerror(errno));
	setvbuf(stdout, NULL, _IOLBF, 0);
	run_verbs(argv + 1, argv + argc);
	return 0;
}
