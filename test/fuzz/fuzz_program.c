/* SPDX-License-Identifier: MIT */
/*
 * fuzz_program.c - sessions with clauses whose expressions come from a grammar of DIF. An
 * expression that the verifier accepts runs within its limits, without harm, and ends within its
 * work.
 *
 * The interpreter relies on bounds that the verifier has computed. In this build the engine asserts
 * them (core_assert), so that an access beyond them is found even if it hits no other memory.
 */
#include "engine_session.h"
#include "grammar_dif.h"
#include <stdlib.h>

#define FUZZ_DIFOS 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Set the sizes of a session, from nearly nothing to more than is allowed. */
static void options(struct choices *c, struct build_dof *b)
{
	static const uint64_t strsizes[] = {256, 2, 3, 8, 20, 64, 4096, 65535, 65536, 65537, 1};
	static const uint64_t sizes[] = {4096, 1, 256, 8192, 65536, 1 << 20, 4 << 20, 0};

	build_option(b, DTRACEOPT_DESTRUCTIVE, 1);
	build_option(b, DTRACEOPT_STRSIZE, strsizes[choose(c, 11)]);
	build_option(b, DTRACEOPT_BUFSIZE, sizes[choose(c, 8)]);
	build_option(b, DTRACEOPT_AGGSIZE, sizes[choose(c, 8)]);
	build_option(b, DTRACEOPT_DYNVARSIZE, sizes[choose(c, 8)]);
	build_option(b, DTRACEOPT_SPECSIZE, sizes[choose(c, 6)]);
	build_option(b, DTRACEOPT_NSPEC, choose(c, 4));
	build_option(b, DTRACEOPT_BUFPOLICY, choose(c, 3));
	build_option(b, DTRACEOPT_BUFRESIZE, choose(c, 2));
	build_option(b, DTRACEOPT_UNWIND, choose(c, 2));
}

static uint64_t agg_argument(struct choices *c, uint32_t kind)
{
	switch (kind) {
	case DTRACEAGG_LQUANTIZE:
		return DTRACE_LQUANTIZE_ARG((int32_t)choose_word(c), (uint64_t)choose(c, 65536),
					    (uint64_t)choose(c, 8));
	case DTRACEAGG_LLQUANTIZE:
		return (uint64_t)choose(c, 40) << 48 | (uint64_t)choose(c, 8) << 32 |
		       (uint64_t)choose(c, 64) << 16 | choose(c, 65536);
	default:
		return 0;
	}
}

static dof_actdesc_t action(struct choices *c, const uint32_t *difos, uint32_t ndifos,
			    uint32_t before)
{
	static const uint16_t kinds[] = {
		DTRACEACT_DIFEXPR,    DTRACEACT_DIFEXPR,
		DTRACEACT_DIFEXPR,    DTRACEACT_DIFEXPR,
		DTRACEACT_TRACEMEM,   DTRACEACT_PRINTM,
		DTRACEACT_STACK,      DTRACEACT_USTACK,
		DTRACEACT_JSTACK,     DTRACEACT_USYM,
		DTRACEACT_SYM,	      DTRACEACT_EXIT,
		DTRACEACT_SPECULATE,  DTRACEACT_COMMIT,
		DTRACEACT_DISCARD,    DTRACEACT_RAISE,
		DTRACEACT_CHILL,      DTRACEACT_STOP,
		DTRACEACT_PRINTF,     DTRACEACT_TRACEMEM_DYNSIZE,
		DTRACEAGG_COUNT,      DTRACEAGG_MIN,
		DTRACEAGG_MAX,	      DTRACEAGG_AVG,
		DTRACEAGG_SUM,	      DTRACEAGG_STDDEV,
		DTRACEAGG_QUANTIZE,   DTRACEAGG_LQUANTIZE,
		DTRACEAGG_LLQUANTIZE,
	};
	dof_actdesc_t ad = {.dofa_kind = kinds[choose(c, sizeof(kinds) / sizeof(kinds[0]))],
			    .dofa_difo = difos[choose(c, ndifos)],
			    .dofa_strtab = DOF_SECIDX_NONE};

	switch (ad.dofa_kind) {
	case DTRACEACT_DIFEXPR:
		ad.dofa_arg = choose_rarely(c, 8) ? DTRACE_AGG_WEIGHT : 0;
		break;
	case DTRACEACT_TRACEMEM:
	case DTRACEACT_PRINTM:
		ad.dofa_arg = choose_size(c, choose_rarely(c, 4) ? 1U << 20 : 256);
		break;
	case DTRACEACT_STACK:
		ad.dofa_arg = choose_size(c, DTRACE_STACKFRAMES_MAX);
		break;
	case DTRACEACT_USTACK:
	case DTRACEACT_JSTACK:
		ad.dofa_arg = DTRACE_USTACK_ARG((uint32_t)choose_size(c, DTRACE_STACKFRAMES_MAX),
						(uint32_t)choose_size(c, DTRACE_STRSIZE_MAX));
		break;
	default:
		if (DTRACEACT_ISAGG(ad.dofa_kind)) {
			ad.dofa_arg = agg_argument(c, ad.dofa_kind);
			ad.dofa_ntuple = 1 + choose(c, before + 1);
			if (choose_rarely(c, 32))
				ad.dofa_ntuple = (uint32_t)choose_size(c, before + 1);
		}
		break;
	}
	return ad;
}

static uint32_t actions(struct choices *c, struct build_dof *b, const uint32_t *difos,
			uint32_t ndifos)
{
	uint32_t n = 1 + choose(c, 5), times = 1, index;
	struct bytes table = {0};

	if (choose_rarely(c, 16))
		times = (uint32_t)choose_size(c, 65536 / n) % 65537;
	for (uint32_t i = 0; i < n; i++) {
		dof_actdesc_t ad = action(c, difos, ndifos, i);

		bytes_add(&table, &ad, sizeof(ad));
	}
	for (uint32_t i = 1; i < times; i++)
		for (uint32_t k = 0; k < n; k++) {
			dof_actdesc_t ad;

			memcpy(&ad, table.p + k * sizeof(ad), sizeof(ad));
			bytes_add(&table, &ad, sizeof(ad));
		}
	index = build_section(b, DOF_SECT_ACTDESC, 8, sizeof(dof_actdesc_t), table.p, table.n);
	bytes_free(&table);
	return index;
}

/* Add a clause; its description may be repeated. */
static void clause(struct choices *c, struct build_dof *b, const uint32_t *difos, uint32_t ndifos)
{
	static const char *const names[] = {"", "a", "b", "ERROR", "BEGIN", "END"};
	uint32_t n = choose_rarely(c, 16) ? 1 + choose(c, 200) : 1;
	const char *name = names[choose(c, 6)];
	dof_probedesc_t pd = {.dofp_name = 1};
	dof_ecbdesc_t ed = {.dofe_pred = DOF_SECIDX_NONE};
	char strings[16] = "";

	memcpy(strings + 1, name, strlen(name) + 1);
	if (choose_rarely(c, 3))
		ed.dofe_pred = difos[choose(c, ndifos)];
	ed.dofe_actions = choose_rarely(c, 16) ? DOF_SECIDX_NONE : actions(c, b, difos, ndifos);
	pd.dofp_strtab = build_section(b, DOF_SECT_STRTAB, 1, 0, strings, sizeof(strings));
	ed.dofe_probes = build_section(b, DOF_SECT_PROBEDESC, 4, 0, &pd, sizeof(pd));
	while (n--)
		build_section(b, DOF_SECT_ECBDESC, 8, 0, &ed, sizeof(ed));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct grammar_world world = {FUZZ_KERNEL, FUZZ_USER, FUZZ_AREA, false};
	enum { PRIV_OWN = DTRACE_PRIV_USER | DTRACE_PRIV_PROC };
	/* root's work takes long */
	static const uint32_t privs[] = {PRIV_OWN, PRIV_OWN | DTRACE_PRIV_KERNEL, DTRACE_PRIV_ALL,
					 DTRACE_PRIV_ALL};
	struct choices c = {data, data + size};
	uint32_t difos[FUZZ_DIFOS], n, nclauses, privileges;
	static struct build_dof b;
	struct build_difo d;
	const void *dof;
	size_t len;

	build_dof_init(&b);
	privileges = privs[choose(&c, 4)];
	nclauses = 1 + choose(&c, 3);
	n = 1 + choose(&c, FUZZ_DIFOS);
	options(&c, &b);
	for (uint32_t i = 0; i < n; i++) {
		grammar_difo(&c, &world, &d);
		difos[i] = build_difo_section(&b, &d);
		build_difo_free(&d);
	}
	while (nclauses--)
		clause(&c, &b, difos, n);
	dof = build_finish(&b, &len);
	engine_session_as(dof, len, privileges, 2);
	build_dof_free(&b);
	return 0;
}
