/* SPDX-License-Identifier: MIT */
/*
 * grammar_dof.c - DOF files from a grammar.
 *
 * A file is a list of statements, most of which make a section. A reference to a section is most
 * often to the last one of the right type, so that most files are consistent. Sometimes it is to
 * any other section, to a later one, or to none. A statement may be repeated, with new data or with
 * the same. So a few bytes make the largest tables of sections.
 */
#include "grammar_dof.h"
#include <stdlib.h>

#define MAXDATA	 (2U << 20) /* bytes of sections */
#define MAXDEPTH 3
#define WHOLE	 (UINT64_MAX - 7) /* size of a section that is all of the file */

struct fixup { /* a word that is only known at the end: the offset of a section header's field */
	size_t at;
	uint32_t section;
	uint32_t field;
};

struct graph {
	struct choices *c;
	const struct grammar_world *w;
	uint64_t base;
	struct bytes data, secs, fixups;
	uint32_t n; /* sections */
	uint32_t depth;
	uint64_t made;	   /* bytes that were made, also those that did not fit */
	uint32_t last[32]; /* of each type, plus one; PRSITES is number 31 */
};

static dof_sec_t *section_at(struct graph *g, uint32_t i)
{
	return (dof_sec_t *)(void *)g->secs.p + i;
}

static uint32_t slot_of(uint32_t type)
{
	return type == DOF_SECT_PRSITES ? 31 : type % 32;
}

static uint32_t add_header(struct graph *g, const dof_sec_t *sec)
{
	bytes_add(&g->secs, sec, sizeof(*sec));
	g->last[slot_of(sec->dofs_type)] = ++g->n;
	return g->n - 1;
}

static uint32_t add(struct graph *g, uint32_t type, uint32_t entsize, const void *p, size_t n)
{
	dof_sec_t sec = {.dofs_type = type,
			 .dofs_align = 1,
			 .dofs_entsize = entsize,
			 .dofs_flags = type < 0x8000 ? DOF_SECF_LOAD : 0};

	g->made += n;
	if (g->data.n + n > MAXDATA)
		n = 0;
	bytes_align(&g->data, 8);
	sec.dofs_offset = g->data.n; /* finish() adds the size of the header */
	sec.dofs_size = n;
	if (n)
		bytes_add(&g->data, p, n);
	return add_header(g, &sec);
}

/* Return a reference to a section of a type. */
static uint32_t ref(struct graph *g, uint32_t type)
{
	uint32_t how = choose(g->c, 64);

	if (how < 48 && g->last[slot_of(type)])
		return g->last[slot_of(type)] - 1;
	if (how == 62)
		return DOF_SECIDX_NONE;
	if (how == 63)
		return choose_word(g->c);
	if (how == 61)
		return g->n + choose_byte(g->c);
	for (uint32_t i = 0, first = choose(g->c, 65536); i < g->n && i < 256; i++) {
		uint32_t k = (first + i) % g->n;

		if (section_at(g, k)->dofs_type == type)
			return k;
	}
	return g->n ? choose(g->c, g->n < 65536 ? g->n : 65536) : 0;
}

/* Return a number below n; now and then one at the limit. */
static uint64_t few(struct graph *g, uint32_t n, uint64_t limit)
{
	return choose_rarely(g->c, 8) ? choose_size(g->c, limit) : choose(g->c, n);
}

static uint32_t optional(struct graph *g, uint32_t type)
{
	return choose_rarely(g->c, 3) ? DOF_SECIDX_NONE : ref(g, type);
}

static void do_strings(struct graph *g)
{
	/* offsets that other sections use: a name of each kind, and types one after the other */
	static const char all[] =
		"\0test\0a\0mod\0func\0dtrace\0helper\0ustack\0prov\0get__it\0int\0"
		"char *\0struct s\0long long\0b\0BEGIN\0ERROR\0";
	struct bytes b = {0};
	uint64_t n;

	bytes_add(&b, all, sizeof(all));
	if (choose_rarely(g->c, 6)) {
		n = choose_size(g->c, choose_rarely(g->c, 2) ? DTRACE_FUNCNAMELEN
							     : DTRACE_DIFO_MAXSTRTAB);
		if (n <= 2 * DTRACE_DIFO_MAXSTRTAB) {
			bytes_add(&b, NULL, n);
			memset(b.p + sizeof(all), 'x', n);
		}
		if (!choose_rarely(g->c, 8))
			bytes_add(&b, "", 1);
	}
	add(g, DOF_SECT_STRTAB, 0, b.p, b.n);
	bytes_free(&b);
}

static uint32_t string(struct graph *g)
{
	static const uint8_t names[] = {0,  1,	6,  8,	12, 17, 24, 31, 38,
					43, 51, 55, 62, 71, 81, 83, 89};
	uint32_t how = choose(g->c, 32);

	return how < sizeof(names) ? names[how] : how == 31 ? choose_word(g->c) : choose(g->c, 512);
}

static void do_probedesc(struct graph *g)
{
	dof_probedesc_t pd = {.dofp_strtab = ref(g, DOF_SECT_STRTAB)};

	if (g->w->helper && !choose_rarely(g->c, 8)) {
		pd.dofp_provider = 17; /* dtrace:helper:ustack: */
		pd.dofp_mod = 24;
		pd.dofp_func = 31;
	} else {
		pd.dofp_provider = choose_rarely(g->c, 4) ? string(g) : 0;
		pd.dofp_func = choose_rarely(g->c, 8) ? string(g) : 0;
		pd.dofp_name = choose_rarely(g->c, 2) ? string(g) : 0;
	}
	add(g, DOF_SECT_PROBEDESC, 0, &pd, sizeof(pd));
}

static void add_difohdr(struct graph *g, dtrace_diftype_t rtype, const uint32_t *links, uint32_t n)
{
	struct bytes b = {0};

	bytes_add(&b, &rtype, sizeof(rtype));
	bytes_add(&b, links, n * sizeof(*links));
	add(g, DOF_SECT_DIFOHDR, 0, b.p, b.n);
	bytes_free(&b);
}

static void do_program(struct graph *g)
{
	struct build_difo d;
	uint32_t links[4];

	grammar_difo(g->c, g->w, &d);
	links[0] = add(g, DOF_SECT_DIF, 4, d.text, d.len * sizeof(d.text[0]));
	links[1] = add(g, DOF_SECT_INTTAB, 8, d.ints.p, d.ints.n);
	links[2] = add(g, DOF_SECT_STRTAB, 0, d.strs.p, d.strs.n);
	links[3] = add(g, DOF_SECT_VARTAB, sizeof(dtrace_difv_t), d.vars.p, d.vars.n);
	add_difohdr(g, d.rtype, links, 4);
	g->last[DOF_SECT_STRTAB] = 0; /* not for names */
	for (uint32_t i = links[2]; i-- > 0 && !g->last[DOF_SECT_STRTAB];)
		if (section_at(g, i)->dofs_type == DOF_SECT_STRTAB)
			g->last[DOF_SECT_STRTAB] = i + 1;
	build_difo_free(&d);
}

/* A program of sections that other programs have too, or of too many sections. */
static void do_difohdr(struct graph *g)
{
	static const uint32_t types[] = {DOF_SECT_DIF,	  DOF_SECT_INTTAB, DOF_SECT_STRTAB,
					 DOF_SECT_VARTAB, DOF_SECT_TYPTAB, DOF_SECT_URELHDR,
					 DOF_SECT_DIFOHDR};
	uint32_t n = choose_rarely(g->c, 16) ? (uint32_t)choose_size(g->c, 256) % 300 : 4,
		 links[300];
	dtrace_diftype_t rtype = {.dtdt_size = 8};

	for (uint32_t i = 0; i < n; i++)
		links[i] = i < 4 ? ref(g, types[i]) : DOF_SECIDX_NONE;
	if (n > 4 && choose_rarely(g->c, 2))
		links[n - 1] = ref(g, types[choose(g->c, 7)]);
	add_difohdr(g, rtype, links, n);
}

/* Add actions of one program each: a few programs again and again, or consecutive ones. */
static void do_actions(struct graph *g)
{
	static const uint16_t kinds[] = {DTRACEACT_DIFEXPR,  DTRACEACT_DIFEXPR, DTRACEACT_PRINTF,
					 DTRACEAGG_COUNT,    DTRACEAGG_SUM,	DTRACEACT_EXIT,
					 DTRACEAGG_QUANTIZE, DTRACEACT_STACK};
	uint32_t stride = choose_rarely(g->c, 16) ? choose(g->c, 64) : sizeof(dof_actdesc_t);
	uint32_t difo = ref(g, DOF_SECT_DIFOHDR), row = choose_rarely(g->c, 4);
	uint64_t n = 1 + choose(g->c, 4);
	struct bytes b = {0};

	if (choose_rarely(g->c, row ? 2 : 12))
		n = choose_size(g->c, g->w->helper ? DTRACE_UHELP_MAXSTMTS : 65536) % 65540;
	for (uint64_t i = 0; i < n; i++) {
		dof_actdesc_t ad = {.dofa_kind = DTRACEACT_DIFEXPR, .dofa_strtab = DOF_SECIDX_NONE};

		if (row && i <= difo) {
			ad.dofa_difo = difo - (uint32_t)i;
		} else if (i >= 8) { /* the actions after the first eight repeat these */
			memcpy(&ad, b.p + (i - 8) * sizeof(ad), sizeof(ad));
		} else {
			ad.dofa_difo = i ? ref(g, DOF_SECT_DIFOHDR) : difo;
			if (!g->w->helper || choose_rarely(g->c, 8))
				ad.dofa_kind = kinds[choose(g->c, 8)];
			ad.dofa_ntuple = DTRACEACT_ISAGG(ad.dofa_kind)
						 ? 1 + choose(g->c, (uint32_t)i + 1)
						 : 0;
		}
		/* consecutive programs end where the section before is of another type */
		if (row && (i > difo || difo >= g->n ||
			    section_at(g, difo - (uint32_t)i)->dofs_type != DOF_SECT_DIFOHDR))
			break;
		bytes_add(&b, &ad, sizeof(ad));
	}
	add(g, DOF_SECT_ACTDESC, stride, b.p, b.n);
	bytes_free(&b);
}

static void do_clause(struct graph *g)
{
	dof_ecbdesc_t ed = {.dofe_probes = ref(g, DOF_SECT_PROBEDESC),
			    .dofe_pred = optional(g, DOF_SECT_DIFOHDR),
			    .dofe_actions = choose_rarely(g->c, 6) ? optional(g, DOF_SECT_ACTDESC)
								   : ref(g, DOF_SECT_ACTDESC)};

	add(g, DOF_SECT_ECBDESC, 0, &ed, sizeof(ed));
}

static void do_option(struct graph *g)
{
	dof_optdesc_t od = {.dofo_option = choose(g->c, DTRACEOPT_MAX + 1),
			    .dofo_strtab = DOF_SECIDX_NONE};

	od.dofo_value = choose_size(g->c, 65536);
	add(g, DOF_SECT_OPTDESC, sizeof(od), &od, sizeof(od));
}

/* ---- what processes register ---- */

static void do_probes(struct graph *g)
{
	static const uint32_t strides[] = {sizeof(dof_probe_t), 40, 48, 56, 36, 0};
	uint64_t n = 1 + choose(g->c, 4);
	uint32_t entsize = choose_rarely(g->c, 8) ? strides[choose(g->c, 6)] : sizeof(dof_probe_t);
	struct bytes b = {0};

	if (choose_rarely(g->c, 12))
		n = choose_size(g->c, MAXDATA / sizeof(dof_probe_t)) %
		    (MAXDATA / sizeof(dof_probe_t));
	for (uint64_t i = 0; i < n; i++) {
		dof_probe_t dp = {0};

		if (i >= 8) {
			memcpy(&dp, b.p + (i - 8) * sizeof(dp), sizeof(dp));
		} else {
			dp.dofpr_addr =
				choose_rarely(g->c, 8) ? choose_size(g->c, 1ULL << 47) : 0x400000;
			dp.dofpr_func = string(g);
			dp.dofpr_name = string(g);
			dp.dofpr_nargv = 51; /* int and those behind it */
			dp.dofpr_xargv = choose_rarely(g->c, 8) ? string(g) : 51;
			dp.dofpr_nargc = (uint8_t)few(g, 4, 32);
			dp.dofpr_xargc = (uint8_t)few(g, 4, 32);
			dp.dofpr_argidx = (uint32_t)few(g, 1, 32);
			dp.dofpr_noffs = (uint16_t)few(g, 4, 65535);
			dp.dofpr_nenoffs = (uint16_t)few(g, 3, 65535);
			dp.dofpr_offidx = (uint32_t)few(g, 1, 65535);
		}
		bytes_add(&b, &dp, sizeof(dp));
	}
	add(g, DOF_SECT_PROBES, entsize, b.p, b.n);
	bytes_free(&b);
}

/* Add a table of small numbers: PRARGS, PROFFS, PRENOFFS. */
static void do_table(struct graph *g)
{
	static const uint32_t types[] = {DOF_SECT_PROFFS, DOF_SECT_PRARGS, DOF_SECT_PRENOFFS};
	uint64_t n = choose_rarely(g->c, 4) ? choose_size(g->c, 65536) % 65540 : 8;
	uint32_t type = types[choose(g->c, 3)], first = choose(g->c, 3);
	struct bytes b = {0};

	for (uint64_t i = 0; i < n; i++) {
		uint32_t x = type == DOF_SECT_PRARGS ? first : (uint32_t)i * 16;

		bytes_add(&b, &x, type == DOF_SECT_PRARGS ? 1 : 4);
	}
	add(g, type, type == DOF_SECT_PRARGS ? 1 : 4, b.p, b.n);
	bytes_free(&b);
}

static dof_argloc_t location(struct graph *g)
{
	dof_argloc_t l = {
		.al_kind = (uint8_t)choose(g->c, 7),
		.al_size = (uint8_t)(1U << choose(g->c, 5)),
		.al_flags = (uint8_t)(1U << choose(g->c, 6)),
		.al_base = (uint8_t)choose(g->c, 17),
		.al_index = (uint8_t)(choose_rarely(g->c, 2) ? DOF_REG_NONE : choose(g->c, 17)),
		.al_scale = (uint8_t)(1U << choose(g->c, 5))};

	l.al_base = choose_rarely(g->c, 8) ? DOF_REG_IP : l.al_base;
	l.al_flags = choose_rarely(g->c, 2) ? l.al_flags : 0;
	l.al_disp = (int64_t)choose_size(g->c, 1ULL << 47);
	return l;
}

static void do_sites(struct graph *g)
{
	dof_prsites_t h = {1 + choose(g->c, 4), 1 + choose(g->c, 4)};
	struct bytes b = {0};

	if (choose_rarely(g->c, 8))
		h.ps_nsites = (uint32_t)choose_size(g->c, 32768) % 32770;
	if (choose_rarely(g->c, 8))
		h.ps_nlocs = (uint32_t)choose_size(g->c, 64) % 66;
	bytes_add(&b, &h, sizeof(h));
	for (uint32_t i = 0; i < h.ps_nsites; i++) {
		dof_siteaddr_t sa = {0x1000 + 16 * i, i % 2 * 0x2000};

		if (i < 4 && choose_rarely(g->c, 8))
			sa.sa_addr = (int64_t)choose_size(g->c, 1ULL << 47);
		bytes_add(&b, &sa, sizeof(sa));
	}
	for (uint32_t i = 0; i < h.ps_nsites; i++) {
		dof_site_t st = {.st_probe = i % 2, .st_func = DOF_STRIDX_NONE};

		if (i < 4) {
			st.st_probe = choose(g->c, 4);
			st.st_func = choose_rarely(g->c, 2) ? string(g) : DOF_STRIDX_NONE;
			st.st_nargs = (uint8_t)few(g, 3, 32);
			st.st_loc = choose(g->c, 2);
			st.st_kind = (uint8_t)(choose_rarely(g->c, 4) ? choose(g->c, 3) : 0);
		}
		bytes_add(&b, &st, sizeof(st));
	}
	for (uint32_t i = 0; i < h.ps_nlocs; i++) {
		dof_argloc_t l = location(g);

		bytes_add(&b, &l, sizeof(l));
	}
	if (choose_rarely(g->c, 16) && b.n > 8)
		b.n -= 1 + choose(g->c, 8);
	add(g, DOF_SECT_PRSITES, 0, b.p, b.n);
	bytes_free(&b);
}

static void do_provider(struct graph *g)
{
	static const size_t sizes[] = {sizeof(dof_provider_t), 44, 40, 36};
	dof_provider_t pv = {.dofpv_strtab = ref(g, DOF_SECT_STRTAB),
			     .dofpv_probes = ref(g, DOF_SECT_PROBES),
			     .dofpv_prargs = ref(g, DOF_SECT_PRARGS),
			     .dofpv_proffs = ref(g, DOF_SECT_PROFFS),
			     .dofpv_name = choose_rarely(g->c, 2) ? string(g) : 38,
			     .dofpv_provattr = choose_word(g->c)};
	size_t n = sizes[choose_rarely(g->c, 4) ? choose(g->c, 4) : 0];

	pv.dofpv_prenoffs = optional(g, DOF_SECT_PRENOFFS);
	pv.dofpv_prsites = optional(g, DOF_SECT_PRSITES);
	add(g, DOF_SECT_PROVIDER, 0, &pv, n);
}

/* ---- relocations ---- */

/* Add a section that is all of the file, so that relocations may change any byte of it. */
static void do_whole(struct graph *g)
{
	dof_sec_t sec = {.dofs_type = DOF_SECT_COMMENTS,
			 .dofs_align = 1,
			 .dofs_size = WHOLE,
			 .dofs_flags = DOF_SECF_LOAD};

	add_header(g, &sec);
}

static void add_relocation(struct graph *g, struct bytes *b, uint32_t self, uint64_t delta)
{
	static const uint8_t fields[] = {
		offsetof(dof_sec_t, dofs_size), offsetof(dof_sec_t, dofs_offset),
		offsetof(dof_sec_t, dofs_type), offsetof(dof_sec_t, dofs_flags)};
	dof_relodesc_t r = {.dofr_type = DOF_RELO_SETX, .dofr_data = delta - g->base};
	struct fixup fix = {.at = b->n + offsetof(dof_relodesc_t, dofr_offset), .section = self};

	if (choose_rarely(g->c, 8))
		r.dofr_type = choose(g->c, 4);
	if (choose_rarely(g->c, 4)) { /* anywhere in the target */
		r.dofr_offset = choose_size(g->c, choose_rarely(g->c, 2) ? 4096 : 48);
		fix.at = SIZE_MAX;
	} else {
		fix.field = fields[choose_rarely(g->c, 2) ? choose(g->c, 4) : 0];
		if (choose_rarely(g->c, 2))
			fix.section = choose(g->c, g->n + 4 < 65536 ? g->n + 4 : 65536);
	}
	bytes_add(b, &r, sizeof(r));
	if (fix.at != SIZE_MAX) {
		fix.at += (g->data.n + 7) & ~(size_t)7;
		bytes_add(&g->fixups, &fix, sizeof(fix));
	}
}

/* Apply a table of relocations, once or often, to all of the file or to some section. */
static void do_relocated(struct graph *g, uint32_t table)
{
	uint64_t n = choose_rarely(g->c, 4) ? choose_size(g->c, 8192) % 16385 : 1;
	dof_relohdr_t h = {0, table, 0};
	dof_sec_t sec;
	uint32_t first;

	if (choose_rarely(g->c, 2) && !g->last[slot_of(DOF_SECT_COMMENTS)])
		do_whole(g);
	h.dofr_tgtsec = ref(g, choose_rarely(g->c, 4) ? DOF_SECT_PROBES : DOF_SECT_COMMENTS);
	first = add(g, DOF_SECT_URELHDR, 0, &h, sizeof(h));
	sec = *section_at(g, first);
	for (uint64_t i = 1; i < n; i++)
		add_header(g, &sec);
}

/*
 * A table of relocations, with bytes behind it that are not part of it at first. One of its entries
 * makes them part of it, and the last one may undo that.
 */
static void do_relocations(struct graph *g)
{
	uint32_t n = 1 + choose(g->c, 3), self = g->n, behind = 0;
	uint64_t tail = 0, delta;
	struct bytes b = {0};
	size_t fixups = g->fixups.n, len;

	if (choose_rarely(g->c, 2)) {
		tail = choose_size(g->c, 65536) % 65537 / 24 * 24;
		behind = choose(g->c, 3);
	}
	delta = tail + behind * sizeof(dof_relodesc_t);
	if (choose_rarely(g->c, 3) || !delta)
		delta = choose_size(g->c, 65536);
	for (uint32_t i = 0; i < n; i++)
		add_relocation(g, &b, self, delta);
	len = b.n;
	bytes_add(&b, NULL, tail);
	while (behind--)
		add_relocation(g, &b, self, 0 - delta);
	if (g->data.n + b.n > MAXDATA)
		g->fixups.n = fixups;
	add(g, DOF_SECT_RELTAB, sizeof(dof_relodesc_t), b.p, b.n);
	if (section_at(g, self)->dofs_size)
		section_at(g, self)->dofs_size = len;
	bytes_free(&b);
	if (!choose_rarely(g->c, 3))
		do_relocated(g, self);
}

static void do_relocate(struct graph *g)
{
	dof_relohdr_t h = {ref(g, DOF_SECT_STRTAB), ref(g, DOF_SECT_RELTAB),
			   ref(g, choose_rarely(g->c, 4) ? DOF_SECT_PROBES : DOF_SECT_COMMENTS)};

	add(g, choose_rarely(g->c, 16) ? DOF_SECT_KRELHDR : DOF_SECT_URELHDR, 0, &h, sizeof(h));
}

/* ---- sections of any kind, and many of them ---- */

static void do_any(struct graph *g)
{
	dof_sec_t sec = {.dofs_type = choose(g->c, 28),
			 .dofs_align = 1U << choose(g->c, 5),
			 .dofs_flags = !choose_rarely(g->c, 8)};

	sec.dofs_entsize = choose(g->c, 64);
	sec.dofs_offset = choose_size(g->c, g->data.n);
	sec.dofs_size = choose_size(g->c, g->data.n);
	add_header(g, &sec);
}

static void do_change(struct graph *g)
{
	dof_sec_t *sec =
		g->n ? section_at(g, g->n - 1 - choose(g->c, g->n < 256 ? g->n : 256)) : NULL;

	if (!sec)
		return;
	switch (choose(g->c, 6)) {
	case 0:
		sec->dofs_entsize = (uint32_t)choose_size(g->c, sec->dofs_entsize);
		break;
	case 1:
		sec->dofs_size = choose_size(g->c, sec->dofs_size);
		break;
	case 2:
		sec->dofs_flags ^= DOF_SECF_LOAD;
		break;
	case 3:
		sec->dofs_offset = choose_size(g->c, sec->dofs_offset);
		break;
	case 4:
		sec->dofs_type = choose(g->c, 28);
		break;
	default:
		sec->dofs_align = choose(g->c, 17);
		break;
	}
}

static void statement(struct graph *g);

/* Repeat a statement, each time with sections of its own, or with the same bytes. */
static void do_repeat(struct graph *g)
{
	static const uint64_t limits[] = {
		16, 16, 64, 64, 256, DTRACE_HELPER_MAXPROVS, DTRACE_HELPER_MAXPROVS, 8192,
	};
	uint64_t n = choose_size(g->c, choose_rarely(g->c, 32) ? DTRACE_DOF_MAXSECS
							       : limits[choose(g->c, 8)]);
	bool fresh = choose_rarely(g->c, 2);
	const uint8_t *from = g->c->p;
	uint32_t first = g->n, len;

	statement(g);
	len = g->n - first;
	for (uint64_t i = 1; i < n && i <= DTRACE_DOF_MAXSECS && len; i++) {
		if (g->n > DTRACE_DOF_MAXSECS || (fresh && (g->made > MAXDATA || i > 4096)))
			break;
		if (fresh) {
			g->c->p = from;
			statement(g);
		} else {
			for (uint32_t k = 0; k < len; k++) {
				dof_sec_t sec = *section_at(g, first + k);

				add_header(g, &sec);
			}
		}
	}
}

static void statement(struct graph *g)
{
	static void (*const session[])(struct graph * g) = {
		do_clause,    do_clause,  do_program, do_program,  do_actions, do_actions,
		do_probedesc, do_strings, do_difohdr, do_difohdr,  do_option,  do_any,
		do_change,    do_repeat,  do_repeat,  do_relocate,
	};
	static void (*const registered[])(struct graph * g) = {
		do_provider, do_provider, do_probes,	  do_probes,   do_table,
		do_sites,    do_strings,  do_relocations, do_relocate, do_whole,
		do_repeat,   do_repeat,	  do_any,	  do_change,   do_clause,
		do_program,  do_actions,  do_probedesc,	  do_difohdr,
	};

	if (g->depth == MAXDEPTH || g->made > 2 * MAXDATA)
		return;
	g->made += 256; /* for the time that a statement takes */
	g->depth++;
	if (g->w->helper)
		registered[choose(g->c, sizeof(registered) / sizeof(registered[0]))](g);
	else
		session[choose(g->c, sizeof(session) / sizeof(session[0]))](g);
	g->depth--;
}

/* ---- the file ---- */

static void header(struct graph *g, dof_hdr_t *h)
{
	uint8_t *id = h->dofh_ident;

	memcpy(id, DOF_MAG_STRING, 4);
	id[DOF_ID_MODEL] = DOF_MODEL_LP64;
	id[DOF_ID_ENCODING] = DOF_ENCODE_LSB;
	id[DOF_ID_VERSION] = DOF_VERSION;
	id[DOF_ID_DIFVERS] = DIF_VERSION;
	id[DOF_ID_DIFIREG] = DIF_DIR_NREGS;
	id[DOF_ID_DIFTREG] = DIF_DTR_NREGS;
	h->dofh_hdrsize = sizeof(*h);
	h->dofh_secsize = sizeof(dof_sec_t);
	switch (choose(g->c, 32)) {
	case 31:
		id[choose(g->c, DOF_ID_SIZE)] ^= (uint8_t)choose(g->c, 4);
		break;
	case 30:
		h->dofh_secsize += 8 * choose(g->c, 3);
		break;
	case 29:
		id[DOF_ID_VERSION] = DOF_VERSION_1;
		break;
	case 28:
	case 27:
		id[DOF_ID_MODEL] = DOF_MODEL_ILP32;
		break;
	default:
		break;
	}
}

/* Header, data, section headers. */
static void *finish(struct graph *g, dof_hdr_t *h, size_t *size)
{
	uint64_t secoff = sizeof(*h) + ((g->data.n + 7) & ~(size_t)7);
	uint8_t *file;

	h->dofh_secnum = g->n;
	h->dofh_secoff = secoff;
	h->dofh_loadsz = h->dofh_filesz = *size = secoff + (uint64_t)g->n * h->dofh_secsize;
	if (choose_rarely(g->c, 64))
		h->dofh_loadsz = choose_size(g->c, *size);
	file = calloc(1, *size);
	if (!file)
		abort();
	memcpy(file, h, sizeof(*h));
	if (g->data.n)
		memcpy(file + sizeof(*h), g->data.p, g->data.n);
	for (uint32_t i = 0; i < g->n; i++) {
		dof_sec_t *sec = section_at(g, i);

		if (sec->dofs_size == WHOLE) {
			sec->dofs_offset = 0;
			sec->dofs_size = *size;
		} else {
			sec->dofs_offset += sizeof(*h);
		}
		memcpy(file + secoff + (uint64_t)i * h->dofh_secsize, sec, sizeof(*sec));
	}
	for (size_t i = 0; i < g->fixups.n; i += sizeof(struct fixup)) {
		const struct fixup *fix = (const void *)(g->fixups.p + i);
		uint64_t at = secoff + (uint64_t)fix->section * h->dofh_secsize + fix->field;

		if (sizeof(*h) + fix->at + sizeof(at) <= secoff)
			memcpy(file + sizeof(*h) + fix->at, &at, sizeof(at));
	}
	return file;
}

void *grammar_dof(struct choices *c, const struct grammar_world *w, uint64_t base, size_t *size)
{
	struct graph g = {.c = c, .w = w, .base = base};
	dof_hdr_t h = {0};
	uint32_t n;
	void *file;

	header(&g, &h);
	/* first the sections that most others need; last the ones that are most often consistent */
	do_strings(&g);
	if (w->helper) {
		do_probes(&g);
		do_table(&g);
	} else {
		do_probedesc(&g);
	}
	for (n = choose(c, 48); n-- && choices_left(c);)
		statement(&g);
	if (w->helper && choose_rarely(c, 2)) { /* a ustack helper */
		do_probedesc(&g);
		do_program(&g);
		do_actions(&g);
		do_clause(&g);
	}
	if (w->helper)
		do_provider(&g);
	else
		do_clause(&g);
	file = finish(&g, &h, size);
	bytes_free(&g.data);
	bytes_free(&g.secs);
	bytes_free(&g.fixups);
	return file;
}
