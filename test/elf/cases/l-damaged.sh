# SPDX-License-Identifier: MIT
# Sites of a damaged object: an error that names it, or what is right of it; nothing is read beyond its tables.
cat >a.s <<'X'
	.text
	.type f, @function
f:	call __dtrace_p___a
	call __dtraceenabled_p___a
	ret
	.size f, . - f
X
as a.s -o calls.o
cat >records.s <<'X'
	.text
	.type f, @function
f:	nop
	nop
	ret
	.size f, . - f
	.section .rodata, "a"
name:	.asciz "of the record"
	.section .probes, "aw"
semaphore: .2byte 0
	.section dtrace_sites, "a"
	.balign 4
1:	.2byte 2f - 1b
	.byte 1, 0x80
	.4byte f + 1 - .
	.4byte semaphore - .
	.4byte name - .
	.asciz "p"
	.asciz "b__c"
	.asciz "-4@%edi"
	.balign 4
2:
X
as records.s -o records.o
cat >noted.s <<'X'
	.text
	.type g, @function
g:	nop
	ret
	.size g, . - g
	.section .note.stapsdt, "", @note
	.4byte 8, 2f - 1f, 3
	.asciz "stapsdt"
1:	.8byte g, 0, 0
	.asciz "p"
	.asciz "d"
	.asciz "-4@%edi"
2:	.balign 4
X
as noted.s -o noted.o
list() { "$USDT" -l "$@" || echo "status $?"; }
sections() { readelf -hW $1 | sed -n 's/ *Number of section headers: *//p'; }
symbols() { readelf -sW $1 | sed -n 's/.* contains \(.*\) entries:/\1/p'; }
symbol() { readelf -sW $1 | awk -v name=$2 '$NF == name { sub(":", "", $1); print $1; exit }'; }
echo "-- what is right"
list calls.o records.o noted.o
# try OBJECT WHAT... - with these fields changed; numbers of sections and symbols are printed as N and M.
try() {
	cp $1 bad.o
	shift
	"$HERE/poke" bad.o "$@"
	echo "$*" | sed "s/ $n\>/ N/g; s/ $m\>/ M/g"
	list bad.o
}
echo "-- calls"
n=$(sections calls.o) m=$(symbols calls.o)
try calls.o '.rela.text[0].r_sym' $m
try calls.o 'shdr[.rela.text].sh_size' 0
try calls.o 'shdr[.rela.text].sh_info' $n
try calls.o 'sym[f].st_shndx' $n
try calls.o 'sym[f].st_shndx' 0xfff1
echo "-- records"
n=$(sections records.o) m=$(symbols records.o)
for entry in 0 1 2; do
	try records.o ".reladtrace_sites[$entry].r_sym" $m
done
try records.o 'shdr[.reladtrace_sites].sh_size' 0
# each of the sections that relocations name, by the symbols that they use
for symbol in .text .probes .rodata; do
	number=$(symbol records.o $symbol)
	for section in 0 $n 0xfff1 0xffff; do
		echo "$symbol:"
		try records.o "sym[$number].st_shndx" $section | sed "s/sym\[$number\]/sym/"
	done
done
try records.o '.reladtrace_sites[2].r_addend' 13
try records.o '.reladtrace_sites[2].r_addend' 14
try records.o '.reladtrace_sites[2].r_addend' -1
try records.o 'byte[.rodata].13' 0x41
echo "-- notes"
n=$(sections noted.o) m=$(symbols noted.o)
try noted.o '.rela.note.stapsdt[0].r_sym' $m
try noted.o 'shdr[.rela.note.stapsdt].sh_size' 0
for section in 0 $n 0xfff1; do
	try noted.o "sym[$(symbol noted.o .text)].st_shndx" $section 'sym[g].st_shndx' $section
done
