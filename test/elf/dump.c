/* SPDX-License-Identifier: MIT */
/*
 * dump.c - the probe sites and declarations of an object or a linked program, as text that tests
 *compare.
 *
 *	dump [-c] FILE...
 *
 * A line for each site: function, probe or enabled, provider:name, arguments; with -c also the
 *code, two bytes before the trap and six from there. Then a line for each declared probe. The lines
 *are sorted. This reader is independent of libdtrace/usdt but for drti's operand_*.c.
 */
#include <dtrace/dof.h>
#include <dtrace/site.h>
#include <err.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "operand.h"

static Elf *elf;
static GElf_Ehdr header;
static bool show_code;
static char **lines;
static size_t nlines;

static void add_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void add_line(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	lines = realloc(lines, (nlines + 1) * sizeof(*lines));
	if (!lines || vasprintf(&lines[nlines++], format, args) < 0)
		errx(2, "out of memory");
	va_end(args);
}

static GElf_Shdr section_header(size_t i)
{
	GElf_Shdr shdr = {0};

	gelf_getshdr(elf_getscn(elf, i), &shdr);
	return shdr;
}

static const uint8_t *section_bytes(size_t i)
{
	Elf_Data *data = elf_rawdata(elf_getscn(elf, i), NULL);

	return data ? data->d_buf : NULL;
}

static size_t section_count(void)
{
	size_t count = 0;

	elf_getshdrnum(elf, &count);
	return count;
}

static const char *section_name(size_t i)
{
	size_t names = 0;

	elf_getshdrstrndx(elf, &names);
	return elf_strptr(elf, names, section_header(i).sh_name);
}

static size_t find_type(uint32_t type)
{
	size_t i;

	for (i = 1; i < section_count(); i++)
		if (section_header(i).sh_type == type)
			return i;
	return 0;
}

/* Symbol i, with its section's number whole. */
static GElf_Sym symbol_at(size_t i, size_t *section)
{
	size_t table = find_type(SHT_SYMTAB), xindex = find_type(SHT_SYMTAB_SHNDX);
	Elf_Data *x = xindex ? elf_getdata(elf_getscn(elf, xindex), NULL) : NULL;
	Elf32_Word wide = 0;
	GElf_Sym symbol = {0};

	gelf_getsymshndx(elf_getdata(elf_getscn(elf, table), NULL), x, (int)i, &symbol, &wide);
	*section = symbol.st_shndx == SHN_XINDEX ? wide : symbol.st_shndx;
	return symbol;
}

static const char *function_name(size_t section, uint64_t value)
{
	size_t table = find_type(SHT_SYMTAB), i, at, count;
	const char *name = "?";

	if (!table)
		return name;
	count = section_header(table).sh_size / section_header(table).sh_entsize;
	for (i = 1; i < count; i++) {
		GElf_Sym symbol = symbol_at(i, &at);

		if (at == section && GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
		    value >= symbol.st_value && value < symbol.st_value + symbol.st_size)
			return elf_strptr(elf, section_header(table).sh_link, symbol.st_name);
	}
	return name;
}

/* The relocation of offset in a section; false if there is none. */
static bool find_reloc(size_t section, uint64_t offset, GElf_Rela *rela)
{
	size_t i, n;

	for (i = 1; i < section_count(); i++) {
		GElf_Shdr shdr = section_header(i);
		Elf_Data *data;

		if ((shdr.sh_type != SHT_RELA && shdr.sh_type != SHT_REL) ||
		    shdr.sh_info != section)
			continue;
		data = elf_getdata(elf_getscn(elf, i), NULL);
		for (n = 0; n < shdr.sh_size / shdr.sh_entsize; n++) {
			GElf_Rel rel;

			if (shdr.sh_type == SHT_RELA ? !gelf_getrela(data, (int)n, rela)
						     : !gelf_getrel(data, (int)n, &rel))
				continue;
			if (shdr.sh_type == SHT_REL)
				*rela = (GElf_Rela){rel.r_offset, rel.r_info, 0};
			if (rela->r_offset == offset)
				return true;
		}
	}
	return false;
}

/* Where the trap is: the section and the offset in it. */
static bool find_trap(size_t section, size_t record, size_t *code, uint64_t *offset)
{
	uint64_t field = record + offsetof(struct dtrace_site_record, pc);
	GElf_Rela rela;
	int32_t pc;
	size_t i;

	memcpy(&pc, section_bytes(section) + field, sizeof(pc));
	if (header.e_type == ET_REL) {
		if (!find_reloc(section, field, &rela))
			return false;
		*offset = symbol_at(GELF_R_SYM(rela.r_info), code).st_value;
		*offset += header.e_ident[EI_CLASS] == ELFCLASS64 ? (uint64_t)rela.r_addend
								  : (uint64_t)pc;
		return *code != SHN_UNDEF;
	}
	*offset = section_header(section).sh_addr + field + (uint64_t)pc;
	if (header.e_ident[EI_CLASS] == ELFCLASS32)
		*offset = (uint32_t)*offset;
	for (i = 1; i < section_count(); i++) {
		GElf_Shdr shdr = section_header(i);

		if ((shdr.sh_flags & SHF_EXECINSTR) && *offset >= shdr.sh_addr &&
		    *offset - shdr.sh_addr < shdr.sh_size) {
			*code = i;
			return true;
		}
	}
	return false;
}

static const struct operands *machine(void)
{
	return header.e_machine == EM_AARCH64 ? &operands_aarch64
	       : header.e_machine == EM_386   ? &operands_i386
					      : &operands_x86_64;
}

static const char *register_name(uint8_t number)
{
	static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
					    "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
	static char x[8];

	if (machine() != &operands_aarch64)
		return number < 16 ? names[number] : "?";
	snprintf(x, sizeof(x), number == 31 ? "sp" : "x%u", number);
	return x;
}

static void print_memory(FILE *out, const dof_argloc_t *loc)
{
	fprintf(out, "%lld(%s", (long long)loc->al_disp, register_name(loc->al_base));
	if (loc->al_index != DOF_REG_NONE)
		fprintf(out, ",%s,%u", register_name(loc->al_index), loc->al_scale);
	fprintf(out, ")");
}

static void print_arg(FILE *out, const dof_argloc_t *loc)
{
	fprintf(out, " %s%u%s@", loc->al_flags & DOF_LOCF_SIGNED ? "-" : "", loc->al_size,
		loc->al_flags & DOF_LOCF_FLOAT ? "f" : "");
	if (loc->al_kind == DOF_LOC_REG)
		fprintf(out, "%s", register_name(loc->al_base));
	else if (loc->al_kind == DOF_LOC_XMM)
		fprintf(out, machine() == &operands_aarch64 ? "v%u" : "xmm%u", loc->al_base);
	else if (loc->al_kind == DOF_LOC_CONST)
		fprintf(out, "$%lld", (long long)loc->al_disp);
	else if (loc->al_kind == DOF_LOC_MEM && loc->al_base != DOF_REG_IP)
		print_memory(out, loc);
	else
		fprintf(out, "kind%u", loc->al_kind);
}

static void print_text(FILE *out, const char *at, const char *end)
{
	dof_argloc_t loc;
	size_t len;

	for (; (len = operand_text(machine(), at, (size_t)(end - at), NULL, NULL, &loc)); at += len)
		print_arg(out, &loc);
}

static void print_args(FILE *out, const uint8_t *at, const uint8_t *end)
{
	dof_argloc_t loc;
	size_t len;

	for (; at < end && (len = operand_decode(machine(), at, (size_t)(end - at), 0, &loc));
	     at += len)
		print_arg(out, &loc);
	if (at >= end || *at)
		fprintf(out, " DAMAGED");
}

static void print_code(FILE *out, size_t code, uint64_t offset)
{
	const uint8_t *bytes = section_bytes(code);
	GElf_Shdr shdr = section_header(code);
	uint64_t i, start = offset - (header.e_type == ET_REL ? 0 : shdr.sh_addr);

	fprintf(out, " :");
	for (i = start < 2 ? 0 : start - 2; i < start + 6 && i < shdr.sh_size; i++)
		fprintf(out, i == start ? " | %02x" : " %02x", bytes[i]);
}

/* The name within the record, when it is there. */
static void check_function(const uint8_t *record, size_t len, const char *name, FILE *out)
{
	int32_t func;

	memcpy(&func, record + offsetof(struct dtrace_site_record, func), sizeof(func));
	if (func <= 0 || (size_t)func + offsetof(struct dtrace_site_record, func) >= len)
		return;
	record += offsetof(struct dtrace_site_record, func) + func;
	if (strcmp((const char *)record, name))
		fprintf(out, " [%s]", (const char *)record);
}

static void dump_record(size_t section, size_t at, size_t len)
{
	const uint8_t *record = section_bytes(section) + at;
	const char *provider = (const char *)record + sizeof(struct dtrace_site_record);
	const char *probe = provider + strlen(provider) + 1;
	size_t code = 0, size;
	uint64_t offset = 0;
	const char *function;
	char *text;
	FILE *out = open_memstream(&text, &size);

	if (!find_trap(section, at, &code, &offset))
		fprintf(out, "NO TRAP");
	function = function_name(code, offset);
	fprintf(out, "%s %s %s:%s", function,
		(record[3] & ~DTRACE_SITE_TEXT) == DOF_SITE_ISENABLED ? "enabled" : "probe",
		provider, probe);
	if (record[3] & DTRACE_SITE_TEXT)
		print_text(out, probe + strlen(probe) + 1, (const char *)record + len);
	else
		print_args(out, (const uint8_t *)probe + strlen(probe) + 1, record + len);
	check_function(record, len, function, out);
	if (show_code && code)
		print_code(out, code, offset);
	fclose(out);
	add_line("%s", text);
	free(text);
}

static void dump_sites(size_t section)
{
	GElf_Shdr shdr = section_header(section);
	size_t at;
	uint16_t len;

	if (header.e_type == ET_REL && (!(shdr.sh_flags & SHF_LINK_ORDER) || !shdr.sh_link))
		add_line("section of sites without SHF_LINK_ORDER");
	for (at = 0; at < shdr.sh_size; at += len ? len : 4) {
		memcpy(&len, section_bytes(section) + at, sizeof(len));
		if (len)
			dump_record(section, at, len);
	}
}

/* ---- declarations ---- */

static const void *dof_add_section(const uint8_t *dof, unsigned int i)
{
	const dof_sec_t *table = (const void *)(dof + ((const dof_hdr_t *)dof)->dofh_secoff);

	return dof + table[i].dofs_offset;
}

static const char *next_string(const char *s)
{
	return s + strlen(s) + 1;
}

static void dump_probe(const char *provider, const char *strings, const uint8_t *prargs,
		       const dof_probe_t *probe)
{
	const char *type = strings + probe->dofpr_nargv;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	unsigned int i;

	fprintf(out, "declared %s:%s(", provider, strings + probe->dofpr_name);
	for (i = 0; i < probe->dofpr_nargc; i++, type = next_string(type))
		fprintf(out, "%s%s", i ? ", " : "", type);
	fprintf(out, ")");
	type = strings + probe->dofpr_xargv;
	if (probe->dofpr_xargv != probe->dofpr_nargv) {
		for (i = 0; i < probe->dofpr_xargc; i++, type = next_string(type))
			fprintf(out, "%s%s=%u", i ? ", " : " : (", type,
				prargs[probe->dofpr_argidx + i]);
		fprintf(out, ")");
	}
	fclose(out);
	add_line("%s", text);
	free(text);
}

static void dump_provider(const uint8_t *dof, const dof_sec_t *section)
{
	const dof_provider_t *provider = (const void *)(dof + section->dofs_offset);
	const dof_sec_t *probes = (const void *)(dof + ((const dof_hdr_t *)dof)->dofh_secoff);
	const char *strings = dof_add_section(dof, provider->dofpv_strtab);
	const dof_probe_t *probe = dof_add_section(dof, provider->dofpv_probes);
	size_t i;

	add_line("provider %s %x/%x/%x/%x/%x", strings + provider->dofpv_name,
		 provider->dofpv_provattr, provider->dofpv_modattr, provider->dofpv_funcattr,
		 provider->dofpv_nameattr, provider->dofpv_argsattr);
	for (i = 0; i < probes[provider->dofpv_probes].dofs_size / sizeof(*probe); i++)
		dump_probe(strings + provider->dofpv_name, strings,
			   dof_add_section(dof, provider->dofpv_prargs), &probe[i]);
}

static void dump_dof(size_t section)
{
	uint64_t at, size = section_header(section).sh_size;
	const dof_hdr_t *dof;
	unsigned int i;

	for (at = 0; at < size; at += (dof->dofh_filesz + 7) & ~7ULL) {
		dof = (const void *)(section_bytes(section) + at);
		if (size - at < sizeof(*dof) || memcmp(dof->dofh_ident, DOF_MAG_STRING, 4) ||
		    !dof->dofh_filesz) {
			add_line("DOF is damaged");
			return;
		}
		for (i = 0; i < dof->dofh_secnum; i++) {
			const dof_sec_t *s =
				(const dof_sec_t *)((const char *)dof + dof->dofh_secoff) + i;

			if (s->dofs_type == DOF_SECT_PROVIDER)
				dump_provider((const uint8_t *)dof, s);
		}
	}
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void dump(const char *path)
{
	int fd = open(path, O_RDONLY);
	size_t i;

	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || !gelf_getehdr(elf, &header))
		errx(1, "%s: no ELF file", path);
	for (i = 1; i < section_count(); i++) {
		if (!strcmp(section_name(i), DTRACE_SITES_SECTION))
			dump_sites(i);
		else if (!strcmp(section_name(i), DTRACE_DOF_SECTION))
			dump_dof(i);
	}
	if (nlines)
		qsort(lines, nlines, sizeof(*lines), compare_lines);
	for (i = 0; i < nlines; i++) {
		puts(lines[i]);
		free(lines[i]);
	}
	nlines = 0;
	elf_end(elf);
	close(fd);
}

int main(int argc, char **argv)
{
	int i = 1;

	elf_version(EV_CURRENT);
	if (i < argc && !strcmp(argv[i], "-c")) {
		show_code = true;
		i++;
	}
	for (; i < argc; i++)
		dump(argv[i]);
	free(lines);
	return 0;
}
