# SPDX-License-Identifier: MIT
# A damaged object is an error that names it; it stays as it is, and nothing is written.
cat >p.d <<'X'
provider p { probe a(int); };
X
cat >a.s <<'X'
	.section .text.grouped, "axG", @progbits, grouped, comdat
	.weak grouped
	.type grouped, @function
grouped: call __dtrace_p___a
	ret
	.size grouped, . - grouped
	.text
	.type f, @function
f:	call __dtrace_p___a
	ret
	.size f, . - f
X
as a.s -o good.o
# try WHAT... - with these fields changed.
try() {
	cp good.o bad.o
	"$HERE/poke" bad.o "$@"
	cp bad.o before.o
	printf '%s: ' "$*"
	link -s p.d -o p.o bad.o
	cmp bad.o before.o
	! [ -e p.o ] || { echo "p.o was written"; rm p.o; }
}
try ehdr.e_ident_class 7
try ehdr.e_ident_data 2
try ehdr.e_ident_version 9
try ehdr.e_type 4
try ehdr.e_machine 8
try ehdr.e_machine 3
try ehdr.e_shoff 0x7fffffffffffffff
try ehdr.e_shoff 4000
try ehdr.e_shnum 60000
try ehdr.e_shstrndx 60
try ehdr.e_shstrndx 1
try 'shdr[.text].sh_offset' 0xffffffffffffff00
try 'shdr[.text].sh_size' 0x10000000
try 'shdr[.text].sh_name' 0x10000000
try 'shdr[.text].sh_addralign' 3
try 'shdr[.text].sh_flags' 2
try 'shdr[.text].sh_size' 3
try 'shdr[.text].sh_type' 8
try 'shdr[.symtab].sh_link' 77
try 'shdr[.symtab].sh_link' 0
try 'shdr[.symtab].sh_info' 1000
try 'shdr[.symtab].sh_info' 0
try 'shdr[.symtab].sh_size' 25
try 'shdr[.rela.text].sh_info' 0
try 'shdr[.rela.text].sh_info' 99
try 'shdr[.rela.text].sh_size' 23
try 'shdr[.group].sh_info' 99
try 'shdr[.group].sh_info' 0
try 'byte[.group].4' 99
try '.rela.text[0].r_offset' 0xffffffffffffffff
try '.rela.text[0].r_offset' 0
try '.rela.text[0].r_offset' 3
try '.rela.text[0].r_sym' 1000
try '.rela.text[0].r_type' 1
try '.rela.text[0].r_addend' 12
try 'byte[.text].0' 0x90
try 'sym[__dtrace_p___a].st_name' 0x1000000
echo "-- just past the end: there are"
readelf -hW good.o | sed -n 's/ *Number of section headers: *\(.*\)/\1 sections/p'
readelf -sW good.o | sed -n 's/.* contains \(.*\) entries:/\1 symbols/p'
try ehdr.e_shstrndx 11
try 'shdr[.symtab].sh_link' 11
try 'shdr[.symtab].sh_info' 5
try 'shdr[.rela.text].sh_info' 11
try 'shdr[.group].sh_info' 4
try 'byte[.group].4' 11
try '.rela.text[0].r_sym' 4
echo "-- the last there is, and nothing at all"
# fine WHAT... - these are no damage.
fine() {
	cp good.o odd.o
	"$HERE/poke" odd.o "$@"
	printf '%s: ' "$*"
	link -s p.d -o p.o odd.o && sites odd.o | tr '\n' ';'
	echo
	rm p.o
}
fine 'shdr[.text].sh_addralign' 1
fine 'byte[.group].4' 10
fine 'shdr[.group].sh_info' 2
fine 'shdr[.rela.text.grouped].sh_size' 0
fine 'shdr[.rela.text].sh_size' 0
fine 'sym[f].st_shndx' 11
fine 'sym[f].st_shndx' 0xfff1
echo "-- cut off"
for size in 0 1 10 63 64 100 200 500; do
	cp good.o bad.o
	"$HERE/poke" --truncate bad.o $size
	link -s p.d -o p.o bad.o
done
ls p.o 2>/dev/null || :
echo "-- records"
cp good.o rec.o
link -s p.d -o p.o rec.o && rm p.o
mv rec.o good.o
try 'byte[dtrace_sites].0' 3
try 'byte[dtrace_sites].1' 0x40
try 'byte[dtrace_sites].2' 9
try 'byte[dtrace_sites].16' 0 'byte[dtrace_sites].17' 0
try 'byte[dtrace_sites].20' 0x55
