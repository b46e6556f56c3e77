// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * faults.c - probes of the provider vminfo for parts of page faults that other systems count, and
 * Linux does not. arg0 is the number of pages or faults.
 *
 * Arguments of functions are read by loads that may fail: no compiler compares the handlers with
 * the functions' prototypes.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <asm/trace/exceptions.h>
#include <asm/trap_pf.h>

#include "stable.h"
#include "target.h"

#define FAULTS_ORDER_MAX 20 /* of an allocation; larger numbers are none */

/* Fire at FUNCTION(gfp, order, ...) if it allocates memory of a process that is to be zeroed. */
static notrace void faults_zeroed(const struct stable_trigger *t, struct pt_regs *regs)
{
	const unsigned int zeroed = (__force unsigned int)(GFP_HIGHUSER_MOVABLE | __GFP_ZERO);
	int order = (int)regs->si;

	if ((regs->di & zeroed) == zeroed && order >= 0 && order <= FAULTS_ORDER_MAX)
		stable_fire(t, regs, 1UL << order);
}

/* Fire at clear_huge_page(page, address, pages). */
static notrace void faults_zeroed_huge(const struct stable_trigger *t, struct pt_regs *regs)
{
	stable_fire(t, regs, (unsigned int)regs->dx);
}

/* Fire at folio_zero_user(folio, ...), for folios of several pages only. */
static notrace void faults_zeroed_folio(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct folio folio;

	if (!target_load_kernel(&folio, regs->di, sizeof(folio)))
		stable_fire(t, regs, (uint64_t)folio_nr_pages(&folio));
}

/*
 * Fire when a process writes to a shared page and gets its own copy: by do_wp_page(fault) if the
 * page is present, by finish_fault(fault) if it comes from a file. These functions have returned,
 * and the fault is still on the stack of their caller. If the file is mapped shared, no copy is
 * made. A fault that is retried fires at the retry.
 */
static notrace void faults_cow(const struct stable_trigger *t, struct pt_regs *regs,
			       unsigned long handled)
{
	vm_fault_t result = (__force vm_fault_t)(unsigned int)regs->ax;
	struct vm_area_struct *vma;
	unsigned long flags;
	struct vm_fault fault;

	if (result & (VM_FAULT_RETRY | VM_FAULT_ERROR) ||
	    target_load_kernel(&fault, handled, sizeof(fault)))
		return;
	vma = fault.vma;
	if ((fault.flags & FAULT_FLAG_WRITE) &&
	    !target_load_kernel(&flags, (uintptr_t)&vma->vm_flags, sizeof(flags)) &&
	    !(flags & VM_SHARED))
		stable_fire(t, regs, 1);
}

/* Fire if a page is present, but may not be used in that way. */
static notrace void faults_protected(void *data, unsigned long address, struct pt_regs *regs,
				     unsigned long error)
{
	if (error & X86_PF_PROT)
		stable_fire((const struct stable_trigger *)data, NULL, 1);
}

/* Fire if the kernel faults in memory of its own, and not in that of a process. */
static notrace void faults_kernel(void *data, unsigned long address, struct pt_regs *regs,
				  unsigned long error)
{
	if (address >= TASK_SIZE_MAX)
		stable_fire((const struct stable_trigger *)data, NULL, 1);
}

#define FAULTS_ARGS                        \
	{                                  \
		{                          \
			"int64_t", NULL, 0 \
		}                          \
	}

static struct stable_probe faults_probes[] = {
	{"zfod", FAULTS_ARGS},
	{"cow_fault", FAULTS_ARGS},
	{"prot_fault", FAULTS_ARGS},
	{"kernel_asflt", FAULTS_ARGS},
};

static struct stable_trigger faults_triggers[] = {
#ifdef CONFIG_NUMA
	STABLE_ENTERED("zfod", "vma_alloc_folio", faults_zeroed),
	STABLE_ENTERED("zfod", "vma_alloc_folio_noprof", faults_zeroed),
#else /* these are macros */
	STABLE_ENTERED("zfod", "__folio_alloc", faults_zeroed),
	STABLE_ENTERED("zfod", "__folio_alloc_noprof", faults_zeroed),
#endif
	STABLE_ENTERED("zfod", "clear_huge_page", faults_zeroed_huge),
	STABLE_ENTERED("zfod", "folio_zero_user", faults_zeroed_folio),
	STABLE_RETURNED("cow_fault", "do_wp_page", faults_cow),
	STABLE_RETURNED("cow_fault", "finish_fault", faults_cow),
	STABLE_TP("prot_fault", page_fault_user, faults_protected),
	STABLE_TP("prot_fault", page_fault_kernel, faults_protected),
	STABLE_TP("kernel_asflt", page_fault_kernel, faults_kernel),
};

struct stable_provider faults_provider = {
	.name = "vminfo",
	.more = true,
	.probes = faults_probes,
	.nprobes = ARRAY_SIZE(faults_probes),
	.triggers = faults_triggers,
	.ntriggers = ARRAY_SIZE(faults_triggers),
};
