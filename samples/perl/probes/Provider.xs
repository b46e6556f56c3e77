/* SPDX-License-Identifier: MIT */
/* Provider.xs - DTrace::Provider on the library of dtrace-probes.h. */
#define PERL_NO_GET_CONTEXT
#include <EXTERN.h>
#include <perl.h>
#include <XSUB.h>
#include <stdatomic.h>
#include <dtrace-probes.h>

/* The types that an argument of a probe may have; rows of a table that never changes. */
struct kind {
	const char *word;	/* how scripts say it */
	const char *type;	/* what dtrace is told */
	unsigned char bits;	/* of an integer; else 0 */
	bool negative;		/* whether it has a sign */
};

static const struct kind kinds[] = {
	{"string", "char *", 0, false},		{"integer", "int64_t", 64, true},
	{"char *", "char *", 0, false},		{"int8_t", "int8_t", 8, true},
	{"int16_t", "int16_t", 16, true},	{"int32_t", "int32_t", 32, true},
	{"int64_t", "int64_t", 64, true},	{"uint8_t", "uint8_t", 8, false},
	{"uint16_t", "uint16_t", 16, false},	{"uint32_t", "uint32_t", 32, false},
	{"uint64_t", "uint64_t", 64, false},
};

/*
 * A provider of the library. Threads that Perl makes have copies of every object, so what objects
 * have in common is counted: `shown` are copies of the DTrace::Provider, `users` these and probes.
 */
struct source {
	dtp_provider_t *provider;
	atomic_int users, shown;
};

/* A probe; `objects` are the copies of the DTrace::Probe. */
struct probe {
	dtp_probe_t *probe;
	struct source *source;
	atomic_int objects;
	I32 count;
	const struct kind *kinds[DTP_MAXARGS];
};

static void source_release(struct source *source)
{
	if (atomic_fetch_sub(&source->users, 1) > 1)
		return;
	dtp_provider_destroy(source->provider);
	PerlMemShared_free(source);
}

/* ---- what is behind an object: magic of its own, which knows of copies and of the end ---- */

static int source_free(pTHX_ SV *sv, MAGIC *magic)
{
	struct source *source = (struct source *)magic->mg_ptr;

	PERL_UNUSED_ARG(sv);
	if (atomic_fetch_sub(&source->shown, 1) == 1)
		dtp_provider_disable(source->provider);
	source_release(source);
	return 0;
}

static int probe_free(pTHX_ SV *sv, MAGIC *magic)
{
	struct probe *probe = (struct probe *)magic->mg_ptr;

	PERL_UNUSED_ARG(sv);
	if (atomic_fetch_sub(&probe->objects, 1) > 1)
		return 0;
	dtp_probe_free(probe->probe);
	source_release(probe->source);
	PerlMemShared_free(probe);
	return 0;
}

#ifdef USE_ITHREADS
static int source_dup(pTHX_ MAGIC *magic, CLONE_PARAMS *params)
{
	struct source *source = (struct source *)magic->mg_ptr;

	PERL_UNUSED_ARG(params);
	atomic_fetch_add(&source->users, 1);
	atomic_fetch_add(&source->shown, 1);
	return 0;
}

static int probe_dup(pTHX_ MAGIC *magic, CLONE_PARAMS *params)
{
	PERL_UNUSED_ARG(params);
	atomic_fetch_add(&((struct probe *)magic->mg_ptr)->objects, 1);
	return 0;
}
#else
#define source_dup	NULL
#define probe_dup	NULL
#endif

static const MGVTBL source_magic = {.svt_free = source_free, .svt_dup = source_dup};
static const MGVTBL probe_magic = {.svt_free = probe_free, .svt_dup = probe_dup};

static void attach(pTHX_ SV *object, const MGVTBL *kind, void *data)
{
	MAGIC *magic = sv_magicext(object, NULL, PERL_MAGIC_ext, kind, data, 0);

	magic->mg_flags |= MGf_DUP;
}

/* Return the structure behind a reference to an object; dies if it is none of that kind. */
static void *behind(pTHX_ SV *reference, const MGVTBL *kind, const char *class)
{
	MAGIC *magic = SvROK(reference) ? mg_findext(SvRV(reference), PERL_MAGIC_ext, kind) : NULL;

	if (!magic)
		croak("not a %s", class);
	return magic->mg_ptr;
}

static struct source *source_of(pTHX_ SV *reference)
{
	return behind(aTHX_ reference, &source_magic, "DTrace::Provider");
}

static struct probe *probe_of(pTHX_ SV *reference)
{
	return behind(aTHX_ reference, &probe_magic, "DTrace::Probe");
}

/* ---- arguments ---- */

static const struct kind *kind_find(const char *word)
{
	for (size_t i = 0; i < C_ARRAY_LENGTH(kinds); i++)
		if (!strcmp(word, kinds[i].word))
			return &kinds[i];
	return NULL;
}

/* As C converts integers: the lowest bits, then the sign. */
static uint64_t integer_convert(pTHX_ const struct kind *kind, SV *value)
{
	unsigned int above = 64 - kind->bits;
	uint64_t number = 0;

	if (SvROK(value) || looks_like_number(value))
		number = (uint64_t)SvIV_nomg(value);
	return kind->negative ? (uint64_t)((int64_t)(number << above) >> above) :
				number << above >> above;
}

static uint64_t convert(pTHX_ const struct kind *kind, SV *value)
{
	SvGETMAGIC(value);
	if (kind->bits)
		return integer_convert(aTHX_ kind, value);
	return (uintptr_t)(SvOK(value) ? SvPV_nomg_nolen(value) : "");
}

MODULE = DTrace::Provider	PACKAGE = DTrace::Provider

PROTOTYPES: DISABLE

bool
_attach(SV *self, const char *name, const char *module)
PREINIT:
	dtp_provider_t *provider;
	struct source *source;
CODE:
	provider = dtp_provider_create(name, module);
	if (provider) {
		source = PerlMemShared_malloc(sizeof *source);
		source->provider = provider;
		atomic_init(&source->users, 1);
		atomic_init(&source->shown, 1);
		attach(aTHX_ SvRV(self), &source_magic, source);
	}
	RETVAL = provider != NULL;
OUTPUT:
	RETVAL

bool
_enable(SV *self)
CODE:
	RETVAL = !dtp_provider_enable(source_of(aTHX_ self)->provider);
OUTPUT:
	RETVAL

bool
_disable(SV *self)
CODE:
	RETVAL = !dtp_provider_disable(source_of(aTHX_ self)->provider);
OUTPUT:
	RETVAL

bool
_kind(const char *word)
CODE:
	RETVAL = kind_find(word) != NULL;
OUTPUT:
	RETVAL

MODULE = DTrace::Provider	PACKAGE = DTrace::Probe

bool
_attach(SV *self, SV *provider, const char *function, const char *name, ...)
PREINIT:
	struct source *source;
	const char *types[DTP_MAXARGS];
	struct probe *probe;
	dtp_probe_t *site;
CODE:
	source = source_of(aTHX_ provider);
	probe = PerlMemShared_malloc(sizeof *probe);
	probe->count = items - 4;
	for (I32 i = 0; i < probe->count; i++) {
		probe->kinds[i] = kind_find(SvPV_nolen(ST(4 + i)));
		types[i] = probe->kinds[i]->type;
	}
	site = dtp_probe_add(source->provider, function, name, probe->count, types);
	if (site) {
		probe->probe = site;
		probe->source = source;
		atomic_init(&probe->objects, 1);
		atomic_fetch_add(&source->users, 1);
		attach(aTHX_ SvRV(self), &probe_magic, probe);
	} else {
		PerlMemShared_free(probe);
	}
	RETVAL = site != NULL;
OUTPUT:
	RETVAL

void
fire(SV *self, ...)
PREINIT:
	const struct probe *probe;
	uint64_t args[DTP_MAXARGS];
CODE:
	probe = probe_of(aTHX_ self);
	if (items - 1 != probe->count)
		croak("the probe has %d arguments, not %d", (int)probe->count, (int)items - 1);
	if (dtp_enabled(probe->probe)) {
		for (I32 i = 0; i < probe->count; i++)
			args[i] = convert(aTHX_ probe->kinds[i], ST(1 + i));
		dtp_fire(probe->probe, args);
	}

bool
is_enabled(SV *self)
CODE:
	RETVAL = dtp_enabled(probe_of(aTHX_ self)->probe);
OUTPUT:
	RETVAL

bool
_remove(SV *self)
CODE:
	RETVAL = !dtp_probe_remove(probe_of(aTHX_ self)->probe);
OUTPUT:
	RETVAL
