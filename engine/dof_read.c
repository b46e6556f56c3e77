/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dof_read.c - access to an unverified DOF file: header, sections, tables, strings.
 *
 * After dof_open every section that must be understood lies within the file. Tables are read by
 * copying entries, so nothing depends on how sections are aligned.
 */
#include "dof_read.h"

static const char *const dof_section_names[] = {
	"NONE",	   "COMMENTS",	"SOURCE",   "ECBDESC",	"PROBEDESC", "ACTDESC",	 "DIFOHDR",
	"DIF",	   "STRTAB",	"VARTAB",   "RELTAB",	"TYPTAB",    "URELHDR",	 "KRELHDR",
	"OPTDESC", "PROVIDER",	"PROBES",   "PRARGS",	"PROFFS",    "INTTAB",	 "UTSNAME",
	"XLTAB",   "XLMEMBERS", "XLIMPORT", "XLEXPORT", "PREXPORT",  "PRENOFFS",
};

const char *dof_section_name(uint32_t type)
{
	if (type == DOF_SECT_PRSITES)
		return "PRSITES";
	return type <= DOF_SECT_PRENOFFS ? dof_section_names[type] : "unknown";
}

static int dof_check_ident(const dof_hdr_t *h, struct dof_err *err)
{
	const uint8_t *id = h->dofh_ident;

	if (memcmp(id, DOF_MAG_STRING, 4) != 0)
		return ERR(err, -EINVAL, "DOF: no DOF magic number in the header");
	if (id[DOF_ID_MODEL] != DOF_MODEL_ILP32 && id[DOF_ID_MODEL] != DOF_MODEL_LP64)
		return ERR(err, -EINVAL, "DOF: data model %u is neither 32 nor 64 bit",
			   id[DOF_ID_MODEL]);
	if (id[DOF_ID_ENCODING] != DOF_ENCODE_LSB)
		return ERR(err, -EINVAL, "DOF: byte order %u is not little-endian",
			   id[DOF_ID_ENCODING]);
	if (id[DOF_ID_VERSION] < DOF_VERSION_1 || id[DOF_ID_VERSION] > DOF_VERSION)
		return ERR(err, -EINVAL, "DOF: version %u, known are 1 to %u", id[DOF_ID_VERSION],
			   DOF_VERSION);
	if (id[DOF_ID_DIFVERS] < 1 || id[DOF_ID_DIFVERS] > DIF_VERSION)
		return ERR(err, -EINVAL, "DOF: DIF version %u, known are 1 to %u",
			   id[DOF_ID_DIFVERS], DIF_VERSION);
	if (id[DOF_ID_DIFIREG] > DIF_DIR_NREGS || id[DOF_ID_DIFTREG] > DIF_DTR_NREGS)
		return ERR(err, -EINVAL,
			   "DOF: %u integer and %u tuple registers, there are %u and %u",
			   id[DOF_ID_DIFIREG], id[DOF_ID_DIFTREG], DIF_DIR_NREGS, DIF_DTR_NREGS);
	for (unsigned int i = DOF_ID_PAD; i < DOF_ID_SIZE; i++)
		if (id[i])
			return ERR(err, -EINVAL, "DOF: identification byte %u is not 0", i);
	return 0;
}

static int dof_check_header(struct dof *dof, size_t size)
{
	const dof_hdr_t *h = &dof->hdr;

	if (h->dofh_flags)
		return ERR(dof->err, -EINVAL, "DOF: unknown flags 0x%x in the header",
			   h->dofh_flags);
	if (h->dofh_hdrsize < sizeof(*h) || h->dofh_secsize < sizeof(dof_sec_t))
		return ERR(dof->err, -EINVAL,
			   "DOF: header of %u or section header of %u bytes is too small",
			   h->dofh_hdrsize, h->dofh_secsize);
	if (h->dofh_loadsz > h->dofh_filesz || h->dofh_loadsz > size || h->dofh_loadsz < sizeof(*h))
		return ERR(dof->err, -EINVAL,
			   "DOF: load size %llu does not fit a file of %llu bytes, %llu given",
			   (unsigned long long)h->dofh_loadsz, (unsigned long long)h->dofh_filesz,
			   (unsigned long long)size);
	if (!h->dofh_secnum || h->dofh_secnum > DTRACE_DOF_MAXSECS)
		return ERR(dof->err, -EINVAL, "DOF: %u sections, allowed are 1 to %u",
			   h->dofh_secnum, DTRACE_DOF_MAXSECS);
	if (h->dofh_secoff > dof->size ||
	    (uint64_t)h->dofh_secnum * h->dofh_secsize > dof->size - h->dofh_secoff)
		return ERR(dof->err, -EINVAL,
			   "DOF: section table at %llu passes the load size %llu",
			   (unsigned long long)h->dofh_secoff, (unsigned long long)dof->size);
	return 0;
}

static bool dof_inside(const struct dof *dof, const dof_sec_t *sec)
{
	return sec->dofs_offset <= dof->size && sec->dofs_size <= dof->size - sec->dofs_offset;
}

static int dof_check_section(const struct dof *dof, uint32_t index)
{
	dof_sec_t sec;

	dof_section_any(dof, index, &sec);
	if (!(sec.dofs_flags & DOF_SECF_LOAD))
		return 0;
	if (sec.dofs_align & (sec.dofs_align - 1) || sec.dofs_align > 8)
		return ERR(dof->err, -EINVAL,
			   "DOF section %u (%s): alignment %u is not 1, 2, 4 or 8", index,
			   dof_section_name(sec.dofs_type), sec.dofs_align);
	if (!dof_inside(dof, &sec))
		return ERR(dof->err, -EINVAL,
			   "DOF section %u (%s): %llu bytes at %llu pass the load size %llu", index,
			   dof_section_name(sec.dofs_type), (unsigned long long)sec.dofs_size,
			   (unsigned long long)sec.dofs_offset, (unsigned long long)dof->size);
	if (sec.dofs_entsize && sec.dofs_size % sec.dofs_entsize)
		return ERR(
			dof->err, -EINVAL,
			"DOF section %u (%s): %llu bytes are not a multiple of the entry size %u",
			index, dof_section_name(sec.dofs_type), (unsigned long long)sec.dofs_size,
			sec.dofs_entsize);
	return 0;
}

int dof_open(struct dof *dof, const void *buf, size_t size, struct dof_err *err)
{
	int rc;

	dof->base = buf;
	dof->err = err;
	if (size < sizeof(dof->hdr))
		return ERR(err, -EINVAL, "DOF: %llu bytes are less than a header",
			   (unsigned long long)size);
	memcpy(&dof->hdr, buf, sizeof(dof->hdr));
	dof->size = dof->hdr.dofh_loadsz;
	rc = dof_check_ident(&dof->hdr, err);
	if (!rc)
		rc = dof_check_header(dof, size);
	for (uint32_t i = 0; !rc && i < dof->hdr.dofh_secnum; i++) {
		rc = relax_at(i);
		if (!rc)
			rc = dof_check_section(dof, i);
	}
	return rc;
}

void dof_section_any(const struct dof *dof, uint32_t index, dof_sec_t *sec)
{
	memcpy(sec, dof->base + dof->hdr.dofh_secoff + (uint64_t)index * dof->hdr.dofh_secsize,
	       sizeof(*sec));
}

int dof_section(const struct dof *dof, uint32_t index, uint32_t type, uint64_t min, dof_sec_t *sec)
{
	if (index >= dof->hdr.dofh_secnum)
		return ERR(dof->err, -EINVAL, "DOF: there is no section %u, which should be %s",
			   index, dof_section_name(type));
	dof_section_any(dof, port_nospec(index, dof->hdr.dofh_secnum), sec);
	if (sec->dofs_type != type)
		return ERR(dof->err, -EINVAL, "DOF section %u: is %s (%u), should be %s", index,
			   dof_section_name(sec->dofs_type), sec->dofs_type,
			   dof_section_name(type));
	if (!dof_inside(dof, sec))
		return ERR(dof->err, -EINVAL, "DOF section %u (%s): passes the load size", index,
			   dof_section_name(type));
	if (sec->dofs_size < min)
		return ERR(dof->err, -EINVAL, "DOF section %u (%s): %llu bytes, needs %llu", index,
			   dof_section_name(type), (unsigned long long)sec->dofs_size,
			   (unsigned long long)min);
	return 0;
}

uint64_t dof_entries(const dof_sec_t *sec, size_t size)
{
	return sec->dofs_size / (sec->dofs_entsize ? sec->dofs_entsize : size);
}

void dof_entry(const struct dof *dof, const dof_sec_t *sec, uint64_t n, void *out, size_t size)
{
	size_t stride = sec->dofs_entsize ? sec->dofs_entsize : size;
	size_t have = stride < size ? stride : size;

	memset(out, 0, size);
	memcpy(out, dof->base + sec->dofs_offset + n * stride, have);
}

const char *dof_string(const struct dof *dof, const dof_sec_t *strtab, uint64_t offset)
{
	const char *s = (const char *)dof->base + strtab->dofs_offset;

	if (offset >= strtab->dofs_size || s[strtab->dofs_size - 1] != '\0')
		return NULL;
	return s + offset;
}

static int dof_desc_name(const struct dof *dof, const dof_sec_t *strtab, dof_stridx_t offset,
			 char *out, size_t size)
{
	const char *s = dof_string(dof, strtab, offset);

	if (!s)
		return ERR(dof->err, -EINVAL, "probe description: there is no string at %u",
			   offset);
	if (strlen(s) >= size)
		return ERR(dof->err, -EINVAL,
			   "probe description: a name is longer than %u characters",
			   (unsigned int)size - 1);
	memcpy(out, s, strlen(s) + 1);
	return 0;
}

int dof_probedesc(const struct dof *dof, dof_secidx_t index, dtrace_probedesc_t *desc)
{
	dof_sec_t sec, strtab;
	dof_probedesc_t pd;
	int rc = dof_section(dof, index, DOF_SECT_PROBEDESC, sizeof(pd), &sec);

	if (rc)
		return rc;
	memcpy(&pd, dof->base + sec.dofs_offset, sizeof(pd));
	rc = dof_section(dof, pd.dofp_strtab, DOF_SECT_STRTAB, 1, &strtab);
	if (!rc)
		rc = dof_desc_name(dof, &strtab, pd.dofp_provider, desc->dtpd_provider,
				   DTRACE_PROVNAMELEN);
	if (!rc)
		rc = dof_desc_name(dof, &strtab, pd.dofp_mod, desc->dtpd_mod, DTRACE_MODNAMELEN);
	if (!rc)
		rc = dof_desc_name(dof, &strtab, pd.dofp_func, desc->dtpd_func, DTRACE_FUNCNAMELEN);
	if (!rc)
		rc = dof_desc_name(dof, &strtab, pd.dofp_name, desc->dtpd_name, DTRACE_NAMELEN);
	desc->dtpd_id = pd.dofp_id;
	return rc;
}
