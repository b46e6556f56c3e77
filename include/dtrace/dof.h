/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dof.h - the DTrace object format: what a compiler hands to the engine, and what -G puts into a
 * program.
 *
 * Source of the format: the published DTrace DOF, versions 1 and 2. Additions of ours are
 * sections without DOF_SECF_LOAD, which other readers skip; they are marked "ours" below.
 *
 * A file is a header, a table of section headers at dofh_secoff, and the sections' bytes. All
 * offsets are from the start of the header. Sections name each other by index (dof_secidx_t),
 * strings by offset in a STRTAB. Sections with DOF_SECF_LOAD and what they need lie within the
 * first dofh_loadsz bytes. Byte order is the machine's.
 *
 * A consumer's program:
 *	ECBDESC -> PROBEDESC, predicate DIFOHDR, ACTDESC[] -> DIFOHDR -> DIF, INTTAB,
 *		STRTAB, VARTAB, ...
 *	OPTDESC: options of the session
 *
 * A program's static probes:
 *	PROVIDER -> STRTAB, PROBES[], PRARGS (bytes), PROFFS (uint32), PRENOFFS (uint32),
 *		ours: PRSITES
 *	URELHDR -> STRTAB, RELTAB[], target section: what to add to addresses once the load
 *		address is known
 */
#ifndef DTRACE_DOF_H
#define DTRACE_DOF_H

#include <dtrace/types.h>
#include <dtrace/dif.h>

/* dofh_ident[] */
#define DOF_ID_SIZE	16
#define DOF_ID_MAG0	0 /* 0x7f 'D' 'O' 'F' */
#define DOF_ID_MAG1	1
#define DOF_ID_MAG2	2
#define DOF_ID_MAG3	3
#define DOF_ID_MODEL	4  /* DOF_MODEL_* */
#define DOF_ID_ENCODING 5  /* DOF_ENCODE_* */
#define DOF_ID_VERSION	6  /* DOF_VERSION_* */
#define DOF_ID_DIFVERS	7  /* DIF_VERSION */
#define DOF_ID_DIFIREG	8  /* integer registers that the DIF uses */
#define DOF_ID_DIFTREG	9  /* tuple registers that the DIF uses */
#define DOF_ID_PAD	10 /* 0 to the end */

#define DOF_MAG_MAG0   0x7f
#define DOF_MAG_MAG1   'D'
#define DOF_MAG_MAG2   'O'
#define DOF_MAG_MAG3   'F'
#define DOF_MAG_STRING "\177DOF"

#define DOF_MODEL_NONE	0
#define DOF_MODEL_ILP32 1
#define DOF_MODEL_LP64	2
#define DOF_ENCODE_NONE 0
#define DOF_ENCODE_LSB	1
#define DOF_ENCODE_MSB	2
#define DOF_VERSION_1	1
#define DOF_VERSION_2	2 /* with is-enabled offsets in probes */
#define DOF_VERSION	DOF_VERSION_2

typedef struct dof_hdr {
	uint8_t dofh_ident[DOF_ID_SIZE];
	uint32_t dofh_flags;   /* 0 */
	uint32_t dofh_hdrsize; /* sizeof (dof_hdr_t) */
	uint32_t dofh_secsize; /* size of a section header */
	uint32_t dofh_secnum;  /* section headers */
	uint64_t dofh_secoff;  /* of the table of section headers */
	uint64_t dofh_loadsz;  /* bytes that the engine reads */
	uint64_t dofh_filesz;  /* bytes in all */
	uint64_t dofh_pad;     /* 0 */
} dof_hdr_t;

typedef uint32_t dof_secidx_t;
typedef uint32_t dof_stridx_t;
#define DOF_SECIDX_NONE (-1U)
#define DOF_STRIDX_NONE (-1U)

typedef struct dof_sec {
	uint32_t dofs_type;    /* DOF_SECT_* */
	uint32_t dofs_align;   /* power of two, at most 8 */
	uint32_t dofs_flags;   /* DOF_SECF_* */
	uint32_t dofs_entsize; /* of an entry, 0 if not a table */
	uint64_t dofs_offset;
	uint64_t dofs_size;
} dof_sec_t;

#define DOF_SECF_LOAD 1 /* the engine must understand it */

#define DOF_SECT_NONE	   0
#define DOF_SECT_COMMENTS  1  /* text for people */
#define DOF_SECT_SOURCE	   2  /* D source */
#define DOF_SECT_ECBDESC   3  /* dof_ecbdesc_t */
#define DOF_SECT_PROBEDESC 4  /* dof_probedesc_t */
#define DOF_SECT_ACTDESC   5  /* dof_actdesc_t[] */
#define DOF_SECT_DIFOHDR   6  /* dof_difohdr_t */
#define DOF_SECT_DIF	   7  /* dif_instr_t[] */
#define DOF_SECT_STRTAB	   8  /* strings, first and last byte NUL */
#define DOF_SECT_VARTAB	   9  /* dtrace_difv_t[] */
#define DOF_SECT_RELTAB	   10 /* dof_relodesc_t[] */
#define DOF_SECT_TYPTAB	   11 /* types, for the consumer */
#define DOF_SECT_URELHDR   12 /* dof_relohdr_t: done when a user program loads it */
#define DOF_SECT_KRELHDR   13 /* dof_relohdr_t: done by the kernel */
#define DOF_SECT_OPTDESC   14 /* dof_optdesc_t[] */
#define DOF_SECT_PROVIDER  15 /* dof_provider_t */
#define DOF_SECT_PROBES	   16 /* dof_probe_t[] */
#define DOF_SECT_PRARGS	   17 /* uint8_t[]: argument mapping */
#define DOF_SECT_PROFFS	   18 /* uint32_t[]: offsets of sites */
#define DOF_SECT_INTTAB	   19 /* uint64_t[] */
#define DOF_SECT_UTSNAME   20 /* struct utsname, for people */
#define DOF_SECT_XLTAB	   21 /* 21 to 25: translators, for the linker of D libraries */
#define DOF_SECT_XLMEMBERS 22
#define DOF_SECT_XLIMPORT  23
#define DOF_SECT_XLEXPORT  24
#define DOF_SECT_PREXPORT  25
#define DOF_SECT_PRENOFFS  26 /* uint32_t[]: offsets of is-enabled sites */
/* ours, not LOAD: dof_prsites_t, dof_site_t[], dof_siteaddr_t[], dof_argloc_t[] */
#define DOF_SECT_PRSITES 0x8001

/* DOF_SECT_ECBDESC: one probe description of a clause. */
typedef struct dof_ecbdesc {
	dof_secidx_t dofe_probes; /* PROBEDESC */
	dof_secidx_t dofe_pred;	  /* DIFOHDR or DOF_SECIDX_NONE */
	/* ACTDESC or DOF_SECIDX_NONE: no action recorded but the default */
	dof_secidx_t dofe_actions;
	uint32_t dofe_pad;
	uint64_t dofe_uarg; /* handed back in dtrace_eprobedesc */
} dof_ecbdesc_t;

typedef struct dof_probedesc {
	dof_secidx_t dofp_strtab;
	dof_stridx_t dofp_provider; /* glob patterns; the empty string matches all */
	dof_stridx_t dofp_mod;
	dof_stridx_t dofp_func;
	dof_stridx_t dofp_name;
	uint32_t dofp_id; /* if not DTRACE_IDNONE, the probe; the rest is ignored */
} dof_probedesc_t;

typedef struct dof_actdesc {
	dof_secidx_t dofa_difo;	  /* DIFOHDR or DOF_SECIDX_NONE */
	dof_secidx_t dofa_strtab; /* of dofa_arg when that is a string (printf format) */
	uint32_t dofa_kind;	  /* DTRACEACT_* */
	/* actions, this one last, that are an aggregation's keys and value: keys = ntuple - 1 */
	uint32_t dofa_ntuple;
	uint64_t dofa_arg;
	/* handed back in dtrace_recdesc; groups the arguments of one statement */
	uint64_t dofa_uarg;
} dof_actdesc_t;

/* Sections of one DIFO: DIF, and optionally INTTAB, STRTAB, VARTAB, TYPTAB, KRELHDR. */
typedef struct dof_difohdr {
	dtrace_diftype_t dofd_rtype;
	dof_secidx_t dofd_links[1]; /* as many as fit into the section */
} dof_difohdr_t;

typedef struct dof_relohdr {
	dof_secidx_t dofr_strtab;
	dof_secidx_t dofr_relsec; /* RELTAB */
	dof_secidx_t dofr_tgtsec; /* section that is changed */
} dof_relohdr_t;

typedef struct dof_relodesc {
	dof_stridx_t dofr_name;
	uint32_t dofr_type;   /* DOF_RELO_* */
	uint64_t dofr_offset; /* of a uint64_t in the target section */
	uint64_t dofr_data;   /* addend */
} dof_relodesc_t;

#define DOF_RELO_NONE	0
#define DOF_RELO_SETX	1 /* value += base of the object (dofhp_addr) + dofr_data */
#define DOF_RELO_DOFREL 2 /* value += address of the value itself in the process */

typedef struct dof_optdesc {
	uint32_t dofo_option; /* DTRACEOPT_* */
	dof_secidx_t dofo_strtab;
	uint64_t dofo_value;
} dof_optdesc_t;

/* name class, data class, class: a byte each from the top */
typedef uint32_t dof_attr_t;
#define DOF_ATTR(n, d, c) (((uint32_t)(n) << 24) | ((uint32_t)(d) << 16) | ((uint32_t)(c) << 8))
#define DOF_ATTR_NAME(a)  (((a) >> 24) & 0xff)
#define DOF_ATTR_DATA(a)  (((a) >> 16) & 0xff)
#define DOF_ATTR_CLASS(a) (((a) >> 8) & 0xff)

typedef struct dof_provider {
	dof_secidx_t dofpv_strtab;
	dof_secidx_t dofpv_probes; /* PROBES */
	dof_secidx_t dofpv_prargs; /* PRARGS */
	dof_secidx_t dofpv_proffs; /* PROFFS */
	dof_stridx_t dofpv_name;
	/* stability of provider, module, function, name, arguments */
	dof_attr_t dofpv_provattr;
	dof_attr_t dofpv_modattr;
	dof_attr_t dofpv_funcattr;
	dof_attr_t dofpv_nameattr;
	dof_attr_t dofpv_argsattr;
	dof_secidx_t dofpv_prenoffs; /* PRENOFFS or DOF_SECIDX_NONE; version 2 */
	/* ours: PRSITES or DOF_SECIDX_NONE; absent from sections of 44 bytes */
	dof_secidx_t dofpv_prsites;
} dof_provider_t;

typedef struct dof_probe {
	/* start of the function, or any address sites are relative to */
	uint64_t dofpr_addr;
	dof_stridx_t dofpr_func;
	dof_stridx_t dofpr_name;
	dof_stridx_t dofpr_nargv; /* first of nargc consecutive strings: native types */
	dof_stridx_t dofpr_xargv; /* first of xargc consecutive strings: translated types */
	/* first of xargc entries in PRARGS: native argument of each */
	uint32_t dofpr_argidx;
	/* first of noffs entries in PROFFS: dofpr_addr + offset is a site */
	uint32_t dofpr_offidx;
	uint8_t dofpr_nargc;
	uint8_t dofpr_xargc;
	uint16_t dofpr_noffs;
	uint32_t dofpr_enoffidx; /* first of nenoffs entries in PRENOFFS */
	uint16_t dofpr_nenoffs;
	uint16_t dofpr_pad1;
	uint32_t dofpr_pad2;
} dof_probe_t;

/*
 * Ours: sites in full, for a provider. Used instead of PROFFS and PRENOFFS when present (those
 * then are empty). The section is: dof_prsites_t, then ps_nsites dof_siteaddr_t, then as many
 * dof_site_t, then ps_nlocs dof_argloc_t. Addresses are signed and relative to the address in the
 * process of the DOF header (no relocation at run time).
 */
typedef struct dof_prsites {
	uint32_t ps_nsites;
	uint32_t ps_nlocs;
} dof_prsites_t;

typedef struct dof_siteaddr {
	/* of the byte where a tracer traps, less that of the DOF header */
	int64_t sa_addr;
	/* of a semaphore, a uint16_t, less that of the DOF header; 0: none */
	int64_t sa_sema;
} dof_siteaddr_t;

typedef struct dof_site {
	uint32_t st_probe; /* index in PROBES */
	/* name of the function, or DOF_STRIDX_NONE: that of the probe */
	dof_stridx_t st_func;
	uint32_t st_loc; /* first of st_nargs entries of the locations */
	uint8_t st_nargs;
	uint8_t st_kind; /* DOF_SITE_* */
	uint16_t st_pad;
} dof_site_t;

#define DOF_SITE_PROBE	   0
#define DOF_SITE_ISENABLED 1 /* classic: the trap sets the return register to 1 */

/* Where an argument lives when the site is reached. */
typedef struct dof_argloc {
	uint8_t al_kind;  /* DOF_LOC_* */
	uint8_t al_size;  /* bytes of the value: 1 2 4 8 */
	uint8_t al_flags; /* DOF_LOCF_* */
	uint8_t al_base;  /* DOF_REG_*, or DOF_REG_NONE */
	uint8_t al_index; /* DOF_REG_*, or DOF_REG_NONE */
	uint8_t al_scale; /* 1 2 4 8 */
	uint16_t al_pad;
	/*
	 * displacement, or the constant; with base DOF_REG_IP relative to the DOF header (an
	 * absolute location)
	 */
	int64_t al_disp;
} dof_argloc_t;

#define DOF_LOC_NONE  0 /* the compiler dropped it: reads as 0 */
#define DOF_LOC_CONST 1 /* al_disp */
#define DOF_LOC_REG   2 /* al_base */
#define DOF_LOC_MEM   3 /* [base + index * scale + disp] */
#define DOF_LOC_XMM   4 /* low al_size bytes of xmm register number al_base */
/* 32-bit processes, 8 bytes: low half in al_base, high half in al_index */
#define DOF_LOC_PAIR	  5
#define DOF_LOCF_SIGNED	  0x1
#define DOF_LOCF_FLOAT	  0x2 /* bits of a float or double */
#define DOF_LOCF_HIGHBYTE 0x4 /* bits 8..15 of the register: ah bh ch dh */
/* of MEM: add the thread's fs base (x86-64) or gs base (i386) */
#define DOF_LOCF_TLS 0x8

/*
 * Registers in DOF_LOC: the machine's encoding order, for i386 and x86-64 alike. On aarch64 they
 * are the numbers of x0 to x30, 31 for the stack pointer, and with DOF_LOC_XMM those of v0 to v31.
 */
enum dof_reg {
	DOF_REG_AX,
	DOF_REG_CX,
	DOF_REG_DX,
	DOF_REG_BX,
	DOF_REG_SP,
	DOF_REG_BP,
	DOF_REG_SI,
	DOF_REG_DI,
	DOF_REG_R8,
	DOF_REG_R9,
	DOF_REG_R10,
	DOF_REG_R11,
	DOF_REG_R12,
	DOF_REG_R13,
	DOF_REG_R14,
	DOF_REG_R15,
	DOF_REG_IP = 0x20,
	DOF_REG_NONE = 0xff
};

#endif
