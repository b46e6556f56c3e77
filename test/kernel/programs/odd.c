// SPDX-License-Identifier: MIT
/*
 * odd.c - probes that only drti registers, of forms that programs seldom have.
 *
 *	odd UP GO	write the pid to the FIFO UP, wait for a line from GO; fire all probes;
 *			print the semaphore of :::several, whose five sites are in one function; do
 *			the same again; end
 *
 *	several		one probe with five sites in one function
 *	high		arguments in the registers' second bytes, %ah and the like, beside other
 *			parts of the same registers
 */
#include <stdio.h>
#include <sys/sdt.h>
#include <unistd.h>

extern unsigned short odd_several_semaphore __attribute__((visibility("hidden")));

static __attribute__((noinline)) void several(int i)
{
	DTRACE_PROBE1(odd, several, i);
	DTRACE_PROBE1(odd, several, i + 1);
	DTRACE_PROBE1(odd, several, i + 2);
	DTRACE_PROBE1(odd, several, i + 3);
	DTRACE_PROBE1(odd, several, i + 4);
}

void high(void);
#ifdef __x86_64__
#define BX "rbx"
#else
#define BX "ebx"
#endif
__asm__(".text\n.type high, @function\nhigh:\n"
	"push %" BX "\n"
	"mov $0x55551234, %eax\n"
	"mov $0x555581ff, %ecx\n"
	"mov $0x55557f01, %edx\n"
	"mov $0x5555fe02, %ebx\n"
	".Lhigh_site: .byte 0x90, 0x66, 0x66, 0x66, 0x66, 0x90\n"
	"pop %" BX "\n"
	"ret\n"
	".size high, . - high\n"
	".pushsection dtrace_sites, \"ao\", @progbits, .text\n"
	".balign 4\n"
	".Lhigh_record: .2byte .Lhigh_end - .Lhigh_record\n"
	".byte 1, 0x80\n"
	".4byte .Lhigh_site + 1 - ., 0, 0\n"
	".asciz \"odd\", \"high\"\n"
	".asciz \"1@%ah -1@%ah 1@%ch -1@%ch 1@%dh -1@%bh 1@%al -1@%cl -2@%cx -4@%eax\"\n"
	".balign 4\n"
	".Lhigh_end:\n"
	".popsection\n");

static int handshake(const char *up, const char *go)
{
	FILE *fp = fopen(up, "w");
	char line[8];

	if (!fp)
		return -1;
	fprintf(fp, "%d\n", getpid());
	fclose(fp);
	fp = fopen(go, "r");
	if (!fp || !fgets(line, sizeof(line), fp))
		return -1;
	return fclose(fp);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	for (int round = 0; round < 2; round++) {
		if (handshake(argv[1], argv[2]))
			return 3;
		several(10 * round);
		high();
		printf("the semaphore of five sites: %d\n",
		       *(volatile unsigned short *)&odd_several_semaphore);
		fflush(stdout);
	}
	return 0;
}
