// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * memory.c - tell the kernel's memory from the devices that it has mapped.
 *
 * To read a register of a device may change the device: take a byte from a queue, acknowledge an
 * interrupt, or stop the machine. The kernel has devices where ioremap() maps them, among what
 * vmalloc() maps; at fixed addresses, such as the local APIC; and in the hole of the first megabyte
 * of its map of all memory. It has firmware in a range of its own.
 *
 * The caller runs with interrupts off: no table of pages goes meanwhile.
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/sched/task_stack.h>
#include <linux/vmalloc.h>

#include <asm/fixmap.h>

#include "memory.h"

/* Of the first megabyte: VGA, memory of adapters, and firmware. */
#define HOLE_START 0xa0000UL
#define HOLE_END   0x100000UL

/* Addresses from start up to end, which is not one of them. */
struct memory_range {
	unsigned long start, end;
};

static notrace bool memory_meets(unsigned long addr, unsigned long last, struct memory_range range)
{
	return last >= range.start && addr < range.end;
}

static notrace bool memory_is_own_stack(unsigned long addr, unsigned long last)
{
	unsigned long stack = (unsigned long)task_stack_page(current);

	return addr >= stack && last - stack < THREAD_SIZE;
}

/* Find the page that an address is mapped to. Return false if it is not mapped. */
static notrace bool memory_find_page(unsigned long addr, unsigned long *pfn)
{
	unsigned int level;
	const pte_t *entry = lookup_address(addr, &level);
	pte_t value;

	if (!entry)
		return false;
	value = READ_ONCE(*entry);
	if (!(pte_flags(value) & _PAGE_PRESENT))
		return false;
	if (level == PG_LEVEL_4K)
		*pfn = pte_pfn(value);
	else if (level == PG_LEVEL_2M)
		*pfn = pmd_pfn((pmd_t){value.pte}) + ((addr & ~PMD_MASK) >> PAGE_SHIFT);
	else
		*pfn = pud_pfn((pud_t){.pud = value.pte}) + ((addr & ~PUD_MASK) >> PAGE_SHIFT);
	return true;
}

/*
 * Return whether a page that vmalloc() or ioremap() has mapped is memory: it is in the map of all
 * memory too, outside the hole.
 */
static notrace bool memory_is_page(unsigned long addr)
{
	unsigned long pfn, same, at;

	if (!memory_find_page(addr, &pfn))
		return true;
	at = (unsigned long)__va(pfn << PAGE_SHIFT);
	return (pfn < HOLE_START >> PAGE_SHIFT || pfn >= HOLE_END >> PAGE_SHIFT) &&
	       at < (unsigned long)high_memory && memory_find_page(at, &same);
}

notrace bool memory_is_plain(unsigned long addr, size_t n)
{
	const struct memory_range hole = {(unsigned long)__va(HOLE_START),
					  (unsigned long)__va(HOLE_END)},
				  fixed = {FIXADDR_TOT_START, FIXADDR_TOP + PAGE_SIZE},
				  firmware = {EFI_VA_END, EFI_VA_START},
				  mapped = {VMALLOC_START, VMALLOC_END + 1};
	unsigned long last = addr + n - 1, page;

	if (!n || memory_is_own_stack(addr, last))
		return true;
	if (memory_meets(addr, last, hole) || memory_meets(addr, last, fixed) ||
	    memory_meets(addr, last, firmware))
		return false;
	for (page = max(addr & PAGE_MASK, mapped.start); page <= last && page < mapped.end;
	     page += PAGE_SIZE)
		if (!memory_is_page(page))
			return false;
	return true;
}
