/* SPDX-License-Identifier: MIT */
/* document.c - structured documents: begins them, writes records, ends them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "document.h"

static const char xml_begin[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<dtrace>\n";
static const char xml_end[] = "</dtrace>\n";

static struct dt_document *document(dtrace_hdl_t *dtp)
{
	return dt_session(dtp)->document;
}

bool dtrace_oformat(dtrace_hdl_t *dtp)
{
	return dt_copt(dtp, DT_COPT_OFORMAT) != DT_OFORMAT_TEXT;
}

int dtrace_oformat_setup(dtrace_hdl_t *dtp, FILE *fp)
{
	struct dt_session *se = dt_session(dtp);

	if (!se || !dtrace_oformat(dtp))
		return !se ? -1 : 0;
	if (!se->document)
		se->document = calloc(1, sizeof(*se->document));
	if (!se->document)
		return dt_set_errno(dtp, ENOMEM);
	se->document->language =
		dt_copt(dtp, DT_COPT_OFORMAT) == DT_OFORMAT_XML ? &dt_xml : &dt_json;
	se->document->fp = fp;
	return 0;
}

const struct dt_output *dt_output(dtrace_hdl_t *dtp)
{
	return dtp->session && document(dtp) ? &dt_output_structured : &dt_output_text;
}

static int document_emit(dtrace_hdl_t *dtp, const char *text)
{
	struct dt_session *se = dt_session(dtp);
	dtrace_bufdata_t data = {
		.dtbda_handle = dtp, .dtbda_buffered = text, .dtbda_probe = se->probe};

	if (document(dtp)->fp)
		return fputs(text, document(dtp)->fp) != EOF ? 0 : dt_set_errno(dtp, errno);
	return dt_buffered_hand(dtp, &data);
}

/* Begin a document. Records in JSON need no document around them. */
static int document_open(dtrace_hdl_t *dtp)
{
	struct dt_document *doc = document(dtp);

	if (doc->open || doc->language != &dt_xml)
		return 0;
	doc->open = true;
	return document_emit(dtp, xml_begin);
}

int dtrace_oformat_teardown(dtrace_hdl_t *dtp)
{
	struct dt_document *doc = dtp->session ? document(dtp) : NULL;
	int err = 0;

	if (!doc)
		return 0;
	err = document_open(dtp);
	if (err == 0 && doc->language == &dt_xml)
		err = document_emit(dtp, xml_end);
	if (err == 0 && doc->fp && fflush(doc->fp) == EOF)
		err = dt_set_errno(dtp, errno);
	dt_document_fini(doc);
	dt_session(dtp)->document = NULL;
	return err;
}

void dt_document_fini(struct dt_document *doc)
{
	if (doc && doc->recording)
		dt_writer_fini(&doc->record);
	free(doc);
}

/* ---- records ---- */

void dt_document_probe(struct dt_writer *w, const dtrace_probedesc_t *pd)
{
	dt_writer_uint(w, "id", pd->dtpd_id);
	dt_writer_cstring(w, "provider", pd->dtpd_provider);
	dt_writer_cstring(w, "module", pd->dtpd_mod);
	dt_writer_cstring(w, "function", pd->dtpd_func);
	dt_writer_cstring(w, "name", pd->dtpd_name);
}

static bool document_head(dtrace_hdl_t *dtp, struct dt_writer *w, uint64_t timestamp, int cpu,
			  const dtrace_probedesc_t *pd)
{
	if (!dt_writer_init(w, document(dtp)->language)) {
		dt_set_errno(dtp, ENOMEM);
		return false;
	}
	dt_writer_object(w, "probes");
	dt_writer_uint(w, "timestamp", timestamp);
	dt_writer_int(w, "cpu", cpu);
	dt_document_probe(w, pd);
	return true;
}

bool dt_document_begin(dtrace_hdl_t *dtp, struct dt_writer *w, uint64_t timestamp, int cpu,
		       const dtrace_probedesc_t *pd, const char *flow)
{
	if (!document_head(dtp, w, timestamp, cpu, pd))
		return false;
	if (flow)
		dt_writer_cstring(w, "flow", flow);
	dt_writer_list(w, "output");
	return true;
}

bool dt_document_news(dtrace_hdl_t *dtp, struct dt_writer *w, int cpu, const char *name)
{
	dtrace_probedesc_t pd = {
		.dtpd_provider = "dtrace", .dtpd_mod = "INTERNAL", .dtpd_func = "INTERNAL"};

	snprintf(pd.dtpd_name, sizeof(pd.dtpd_name), "%s", name);
	return document_head(dtp, w, dt_now(), cpu, &pd);
}

static void document_attribute(struct dt_writer *w, const char *name, dtrace_attribute_t attr)
{
	char text[64];

	dt_writer_cstring(w, name, dtrace_attr2str(attr, text, sizeof(text)));
}

static void document_details(struct dt_writer *w, const dtrace_probeinfo_t *info)
{
	document_attribute(w, "stability", info->dtp_attr);
	document_attribute(w, "argument-stability", info->dtp_arga);
	dt_writer_list(w, "arguments");
	for (uint32_t i = 0; i < info->dtp_argc; i++) {
		const dtrace_argdesc_t *a = &info->dtp_argv[i];

		dt_writer_cstring(w, NULL,
				  a->dtargd_xlate[0] != '\0' ? a->dtargd_xlate : a->dtargd_native);
	}
	dt_writer_end(w);
}

int dtrace_oformat_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pd,
			 const dtrace_probeinfo_t *info)
{
	struct dt_writer w;

	if (!dtp->session || !document(dtp))
		return dt_set_errno(dtp, EINVAL);
	if (!dt_writer_init(&w, document(dtp)->language))
		return dt_set_errno(dtp, ENOMEM);
	dt_writer_object(&w, "probes");
	dt_document_probe(&w, pd);
	if (info)
		document_details(&w, info);
	return dt_document_end(dtp, &w);
}

int dt_document_end(dtrace_hdl_t *dtp, struct dt_writer *w)
{
	const char *text;
	int err;

	while (dt_writer_top(w) && !w->failed)
		dt_writer_end(w);
	text = dt_writer_text(w);
	err = !text ? dt_set_errno(dtp, ENOMEM) : document_open(dtp);
	if (err == 0)
		err = document_emit(dtp, text);
	dt_writer_fini(w);
	return err;
}
