# SPDX-License-Identifier: MIT
# The command lines of projects that have probes, as their configure scripts and makefiles write them: each makes its file, in
# whatever folder, of provider files in their style, objects with sites and without, and libtool's.
[ -x "$DTRACE" ] || skip "no installed dtrace"
need gcc ar
export DTRACE_LIBDIR="$LIBDIR" LD_LIBRARY_PATH="$(dirname "$LIBDIR")"
mkdir bin; ln -s "$DTRACE" bin/dtrace; PATH=$PWD/bin:$PATH
# makes FILE COMMAND... - the command succeeds, says nothing, and the file is there and new.
makes() {
	made=$1; shift
	rm -f "$made"
	"$@" >said 2>&1 || echo "status $?: $*"
	[ ! -s said ] || { echo "says: $*"; cat said; }
	[ -s "$made" ] || echo "does not make $made: $*"
}
# object NAME [PROVIDER PROBE] - NAME.o, with a site of a probe without arguments or with none.
object() {
	mkdir -p "$(dirname "$1")"
	if [ $# = 3 ]; then
		printf '#include <sys/sdt.h>\nvoid f_%s(void) { DTRACE_PROBE(%s, %s); }\n' "$(echo "$1" | tr -c 'a-z\n' _)" "$2" "$3"
	else
		printf 'int v_%s;\n' "$(echo "$1" | tr -c 'a-z\n' _)"
	fi >object.c
	gcc -fPIC -I"$SDT" -c object.c -o "$1.o"
}
simple() { echo "provider $1 { probe fire(); probe function__entry(const char *, char *, int); };" >"$2"; }
echo "-- CPython"
mkdir -p Include Python Modules; simple python Include/pydtrace.d
echo 'BEGIN{}' >conftest.d
makes conftest.o dtrace -G -s conftest.d -o conftest.o
for o in Python/ceval Python/import Python/sysmodule Modules/gcmodule; do object $o python fire; done
makes Include/pydtrace_probes.h dtrace -o Include/pydtrace_probes.h -h -s Include/pydtrace.d
makes Python/pydtrace.o dtrace -o Python/pydtrace.o -G -s Include/pydtrace.d Python/ceval.o Python/import.o Python/sysmodule.o Modules/gcmodule.o
echo "-- Perl"
mkdir -p UU mpdtrace maindtrace; simple perl perldtrace.d; object UU/try perl fire; object mpdtrace/op perl fire; object mpdtrace/util; object maindtrace/perlmain
cd UU
makes perldtrace.tmp dtrace -h -s ../perldtrace.d -o perldtrace.tmp
makes perldtrace.h dtrace -h -xnolibs -s ../perldtrace.d -o perldtrace.h
makes perldtrace.o dtrace -G -s ../perldtrace.d try.o
cd ..
makes perldtrace.h.in dtrace -h -s perldtrace.d -o perldtrace.h.in
makes dtrace_mini.o dtrace -G -s perldtrace.d -o dtrace_mini.o mpdtrace/op.o mpdtrace/util.o
makes dtrace_main.o dtrace -G -s perldtrace.d -o dtrace_main.o maindtrace/perlmain.o
echo "-- PostgreSQL"
mkdir -p utils access
{ echo '#define Oid unsigned int'; echo '#define bool unsigned char'; echo 'provider postgresql { probe fire(); probe x(Oid, bool); };'; } >probes.d; cp probes.d utils
object access/heap postgresql fire; object access/none
makes probes.h.tmp dtrace -C -h -s probes.d -o probes.h.tmp
makes utils/probes.o dtrace -C -G -s utils/probes.d access/heap.o access/none.o -o utils/probes.o
makes probes.o dtrace -C -G -o probes.o -s probes.d access/heap.o
echo "-- PHP, whose files for the second form are missing"
mkdir -p Zend/.libs main/.libs; simple php Zend/zend_dtrace.d
for o in main/main Zend/zend Zend/.libs/zend main/.libs/main; do object $o php fire; done
makes Zend/zend_dtrace_gen.h.bak env CFLAGS=-O2 dtrace -h -C -s Zend/zend_dtrace.d -o Zend/zend_dtrace_gen.h.bak
makes Zend/.libs/zend_dtrace.d.o dtrace -G -o Zend/.libs/zend_dtrace.d.o -s Zend/zend_dtrace.d main/.libs/main.o Zend/.libs/zend.o
makes Zend/zend_dtrace.d.o dtrace -G -o Zend/zend_dtrace.d.o -s Zend/zend_dtrace.d main/main.o Zend/zend.o
dtrace -G -o Zend/none.o -s Zend/zend_dtrace.d main/missing.o && echo "no failure"
[ ! -e Zend/none.o ] || echo "a file is left"
echo "-- Ruby"
echo 'provider conftest{ probe fire(); };' >conftest_provider.d
object conftest conftest fire; cp conftest.o saved.o
makes conftest_provider.h dtrace -xnolibs -h -o conftest_provider.h -s conftest_provider.d
makes conftest_provider.o dtrace -G -s conftest_provider.d conftest.o
cmp saved.o conftest.o
mkdir include; echo '#define VM_OPT 1' >include/vm_opts.h
printf '#include "vm_opts.h"\nprovider ruby {\n#if VM_OPT\n probe fire();\n#endif\n};\n' >ruby.d
makes probes.h.tmp dtrace -o probes.h.tmp -h -C -I. -I./include -s ruby.d
makes probes.o dtrace -G -C -I. -I./include -s ./ruby.d -o probes.o
echo "-- Erlang"
mkdir -p emulator/beam obj; simple erlang emulator/beam/erlang_dtrace.d; object conftest erlang fire
makes foo-dtrace.h dtrace -h -C -Iemulator/beam -o ./foo-dtrace.h -s emulator/beam/erlang_dtrace.d
makes dtrace-test.o dtrace -G -C -Iemulator/beam -o ./dtrace-test.o -s emulator/beam/erlang_dtrace.d conftest.o
makes dtrace-test.o dtrace -G -C -64 -Iemulator/beam -o ./dtrace-test.o -s emulator/beam/erlang_dtrace.d conftest.o
echo "-- Tcl"
simple tcl tclDTrace.d; object tclBasic tcl fire
makes tclDTrace.h dtrace -h -o tclDTrace.h -s "$PWD/tclDTrace.d"
makes tclDTrace.o dtrace -G -o tclDTrace.o -s "$PWD/tclDTrace.d" tclBasic.o
echo "-- GLib, libvirt, QEMU, MariaDB, X.org, Pony, picotls: no objects"
mkdir -p p; simple glib glib_probes.d
makes p/glib_probes.h dtrace -h -s ./glib_probes.d -o p/glib_probes.h
makes p/glib_probes.o dtrace -G -s ./glib_probes.d -o p/glib_probes.o
makes X.h env CC=cc dtrace -o X.h -h -s glib_probes.d
makes X.o env CC=cc dtrace -o X.o -G -s glib_probes.d
cp glib_probes.d trace-dtrace-G.dtrace
makes trace-dtrace-G.h dtrace -DSTAP_SDT_V2 -o trace-dtrace-G.h -h -s trace-dtrace-G.dtrace
makes trace-dtrace-G.o dtrace -DSTAP_SDT_V2 -o trace-dtrace-G.o -G -s trace-dtrace-G.dtrace
: >trace-dtrace-empty.dtrace
makes empty.h dtrace -DSTAP_SDT_V2 -o empty.h -h -s trace-dtrace-empty.dtrace
makes empty.o dtrace -DSTAP_SDT_V2 -o empty.o -G -s trace-dtrace-empty.dtrace
cp glib_probes.d probes_mysql.d.base
makes probes_mysql.o dtrace -G -s probes_mysql.d.base -o probes_mysql.o
makes .tmp.dprobes.h dtrace -o .tmp.dprobes.h -s glib_probes.d -h
makes P-probes.o dtrace -o P-probes.o -s glib_probes.d -G
echo "-- X.org with autoconf, and ld -r"
mkdir -p dix/.libs; simple Xserver Xserver.d; object dix/.libs/main Xserver fire
cd dix
makes dtrace-dix.o dtrace -G -C -o dtrace-dix.o -s ../Xserver.d .libs/main.o
ld -r -o dix.O .libs/main.o dtrace-dix.o
cd ..
echo "-- OpenJDK: line markers, a header only; and its line for Solaris"
{ echo '# 1 "hotspot.d"'; cat glib_probes.d; } >T
makes hotspot.h dtrace -h -o hotspot.h -s T
makes dtrace.o dtrace -64 -G -xlazyload -o dtrace.o -s glib_probes.d p/glib_probes.o
