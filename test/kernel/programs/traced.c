// SPDX-License-Identifier: MIT
/*
 * traced.c - a program for the pid provider, not prepared for tracing: functions of every form,
 * called in order. Functions whose offsets a test names are in assembly, the same for every
 * compiler.
 *
 *	traced [PIPE]... [LIBRARY]	opens each PIPE for reading first; LIBRARY is loaded twice
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int do_returns(int x);
int do_tail(int x);
int do_switch(int x);
void do_nothing2(void);
int do_sizeless(int x);
int do_alias(int x);
int do_cpp(int x, const char *s) __asm__("_ZN2ns1fEiPKc");
static int do_template(int x) __asm__("_ZN2ns5twiceIiEET_S1_");

#if defined __x86_64__
#define FUNCTION(name) ".globl " #name "\n.type " #name ", @function\n" #name ":\n"
#define END(name)      ".size " #name ", . - " #name "\n"
/* clang-format off */
__asm__(".text\n"
	FUNCTION(do_nothing2) "push %rbp\nmov %rsp, %rbp\nnop\npop %rbp\nret\n" END(do_nothing2)
	FUNCTION(do_returns) "mov %edi, %eax\ntest %edi, %edi\njs 1f\nret\n1: neg %eax\nret\n"
	END(do_returns)
	FUNCTION(do_tail) "add $1, %edi\njmp do_returns\n" END(do_tail)
	FUNCTION(do_switch) "lea 2f(%rip), %rdx\nmov %edi, %eax\nmovslq (%rdx,%rax,4), %rax\n"
	"add %rdx, %rax\njmp *%rax\n3: mov $30, %eax\nret\n4: mov $40, %eax\nret\n" END(do_switch)
	FUNCTION(do_sizeless) "lea 5(%rdi), %eax\nret\n"
	FUNCTION(do_alias) ".weak __do_alias\n.type __do_alias, @function\n__do_alias:\n"
	"lea 7(%rdi), %eax\nret\n" END(do_alias) ".size __do_alias, . - __do_alias\n"
	".section .rodata\n.balign 4\n2: .long 3b - 2b, 4b - 2b\n.text\n");
/* clang-format on */
#endif

/* Static, and known by .symtab only. */
static __attribute__((noinline, noclone)) int do_hidden(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3;
}

__attribute__((noinline, noclone)) int do_cpp(int x, const char *s)
{
	return x + s[0];
}

/* An instance of a template that is not called. */
__attribute__((noinline, noclone, used)) static int do_template(int x)
{
	return x + x;
}

__attribute__((noinline, noclone)) long do_eight(long a, long b, long c, long d, long e, long f,
						 long g, long h)
{
	__asm__ volatile("" : "+r"(a));
	return a + b + c + d + e + f + g + h;
}

static int load_twice(const char *file)
{
	for (int i = 0; i < 2; i++) {
		void *lib = dlopen(file, RTLD_NOW);
		int (*twice)(int);

		if (!lib)
			return fprintf(stderr, "traced: %s\n", dlerror());
		*(void **)&twice = dlsym(lib, "late_twice");
		printf("late %d\n", twice(i + 20));
		dlclose(lib);
	}
	return 0;
}

/* Wait until the case writes into the pipe. */
static void pipe_wait(const char *name)
{
	char line[16];
	FILE *fp = fopen(name, "r");

	if (!fp || !fgets(line, sizeof(line), fp))
		fprintf(stderr, "traced: %s cannot be read\n", name);
	if (fp)
		fclose(fp);
}

int main(int argc, char **argv)
{
	struct stat st;
	int sum;

	for (; argc > 1 && stat(argv[1], &st) == 0 && S_ISFIFO(st.st_mode); argc--, argv++)
		pipe_wait(argv[1]);
	do_nothing2();
	sum = do_returns(4) + do_returns(-6) + do_tail(-9);
	sum += do_switch(0) + do_switch(1) + do_sizeless(1) + do_alias(2) + do_hidden(5);
	sum += do_cpp(1, "abc") + (int)do_eight(1, 2, 3, 4, 5, 6, 7, 8);
	printf("sum %d, %zu\n", sum, strlen(argv[0]) > 0 ? (size_t)1 : 0);
	return argc > 1 ? load_twice(argv[1]) : 0;
}
