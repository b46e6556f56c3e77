// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * syscall_prototypes.c - input of syscall_table.awk, after the preprocessor: the prototypes, names,
 * numbers and functions of the system calls of this kernel, from its own headers. The file is never
 * compiled.
 */
/*
 * Where functions take their arguments from registers, the headers leave out what their arguments
 * are.
 */
#undef CONFIG_ARCH_HAS_SYSCALL_WRAPPER
#include <linux/syscalls.h>
#include <linux/compat.h>
#include <asm-generic/syscalls.h>
#include <asm/unistd.h>

/* A call of this machine, for which no header has a prototype. */
long sys_arch_prctl(int option, unsigned long arg2);
long sys_iopl(unsigned int level);
long sys_modify_ldt(int func, void *ptr, unsigned long bytecount);
long sys_uretprobe(void);
long sys_set_thread_area(struct user_desc *u_info);
long sys_get_thread_area(struct user_desc *u_info);
long sys_vm86(unsigned long cmd, unsigned long arg);
long sys_vm86old(struct vm86_struct *user_vm86);
long compat_sys_arch_prctl(int option, unsigned long arg2);
long compat_sys_sigreturn(void);
long compat_sys_rt_sigreturn(void);
long compat_sys_old_getrlimit(unsigned int resource, struct compat_rlimit *rlim);
long compat_sys_set_robust_list(struct compat_robust_list_head *head, compat_size_t len);
long compat_sys_get_robust_list(int pid, compat_uptr_t *head, compat_size_t *len);
long compat_sys_ia32_mmap(struct mmap_arg_struct32 *arg);
long compat_sys_ia32_clone(unsigned long flags, unsigned long stack, int *parent_tid,
			   unsigned long tls, int *child_tid);
long compat_sys_ia32_stat64(const char *filename, struct stat64 *statbuf);
long compat_sys_ia32_lstat64(const char *filename, struct stat64 *statbuf);
long compat_sys_ia32_fstat64(unsigned long fd, struct stat64 *statbuf);
long compat_sys_ia32_fstatat64(unsigned int dfd, const char *filename, struct stat64 *statbuf,
			       int flag);
long sys_ia32_truncate64(const char *filename, unsigned long offset_low, unsigned long offset_high);
long sys_ia32_ftruncate64(unsigned int fd, unsigned long offset_low, unsigned long offset_high);
long sys_ia32_pread64(unsigned int fd, char *ubuf, u32 count, u32 poslo, u32 poshi);
long sys_ia32_pwrite64(unsigned int fd, const char *ubuf, u32 count, u32 poslo, u32 poshi);
long sys_ia32_fadvise64_64(int fd, unsigned int offset_low, unsigned int offset_high,
			   unsigned int len_low, unsigned int len_high, int advice);
long sys_ia32_fadvise64(int fd, unsigned int offset_lo, unsigned int offset_hi, u32 len,
			int advice);
long sys_ia32_readahead(int fd, unsigned int off_lo, unsigned int off_hi, u32 count);
long sys_ia32_sync_file_range(int fd, unsigned int off_low, unsigned int off_hi, unsigned int n_low,
			      unsigned int n_hi, int flags);
long sys_ia32_fallocate(int fd, int mode, unsigned int offset_lo, unsigned int offset_hi,
			unsigned int len_lo, unsigned int len_hi);

/* Numbers and functions: lines that begin with the table's name. */
#define __SYSCALL(nr, function) SYSCALL_LINUX nr function
#define __SYSCALL_NORETURN	__SYSCALL
#include <asm/syscalls_64.h>
#undef __SYSCALL
#define __SYSCALL(nr, function)			    SYSCALL_LINUX32 nr function
#define __SYSCALL_WITH_COMPAT(nr, function, compat) SYSCALL_LINUX32 nr compat
#include <asm/syscalls_32.h>
