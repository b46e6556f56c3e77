# SPDX-License-Identifier: MIT
# ===========================================================================
#  ax_dtrace.m4 - static probes in projects that use autoconf
# ===========================================================================
#
# SYNOPSIS
#
#   AX_DTRACE([DEFAULT = no])
#   AX_DTRACE_AUTOMAKE
#
# DESCRIPTION
#
#   AX_DTRACE adds the option --enable-dtrace[=PATH]; DEFAULT is what holds if
#   it is not given: no, yes, or auto, which is yes where DTrace works. PATH, or
#   the variable DTRACE, names the dtrace command; otherwise it is looked for in
#   PATH, in the bin folder beside the sys/sdt.h that the compiler finds, and in
#   /usr/local/bin, /usr/local/sbin and /usr/sbin. Commands of that name that are
#   not DTrace for Linux, as SystemTap's, are passed over; where one was named,
#   that is an error. It works if a provider file becomes a header, a program
#   that uses it compiles, and links with the object that `dtrace -G` makes. If
#   it does not, yes is an error and auto is no.
#
#   The header sys/sdt.h is looked for where CPPFLAGS say, and beside the command
#   (its PREFIX/include).
#
#   AX_DTRACE_AUTOMAKE, after AX_DTRACE, AM_INIT_AUTOMAKE and, if it is used,
#   LT_INIT, writes rules for provider files into aminclude_static.am, by
#   AX_ADD_AM_MACRO_STATIC of the Autoconf Archive. With them NAME.d is a source
#   like others, for programs and for libraries of Libtool, and NAME.h is made
#   from it:
#
#     include $(top_srcdir)/aminclude_static.am
#
#     bin_PROGRAMS = myprogram
#     myprogram_SOURCES = main.c
#     if ENABLE_DTRACE
#     myprogram_SOURCES += myapp.d
#     BUILT_SOURCES = myapp.h
#     endif
#     CLEANFILES = $(BUILT_SOURCES)
#     AM_CPPFLAGS = $(DTRACE_CPPFLAGS)
#
#   A NAME.d, whatever it is for, needs another name than the C sources and
#   headers of its folder: those would be made from it. Two things are
#   for special needs: sites that are calls (SDT_USE_CALLS, other compilers) are
#   turned into NOPs by a rule of your own,
#
#     myapp.o: myapp.d $(myprogram_OBJECTS)
#             $(DTRACE) -G -s $< -o $@ $(myprogram_OBJECTS)
#
#   with myapp.o in myprogram_LDADD; and a static archive (noinst_LIBRARIES) that
#   is to bring the declarations along gives them a name in DTRACE_FLAGS,
#   -x anchor=SYMBOL, and those that link with it say -Wl,-u,SYMBOL.
#
#   This macro calls:
#
#     AC_SUBST(DTRACE)            the command
#     AC_SUBST(DTRACE_CPPFLAGS)   where the header is, if not in a usual place
#     AC_SUBST(DTRACE_FLAGS)      more options of the command, yours to set
#     AC_SUBST(DTRACE_MACHINE)    what programs are for: x86_64, i386 or aarch64;
#                                 `dtrace -G -x machine=...` where it is given
#                                 no objects, as the rules for Automake do
#
#   And sets:
#
#     ENABLE_DTRACE               Automake conditional, and 1 in config.h
#
#   Cache variables: ac_cv_path_DTRACE, ax_cv_dtrace_machine, ax_cv_dtrace_works
#   (no, or yes, or yes with the flags that were needed).
#
#   When cross-compiling, the command is one for the machine that builds.
#
# LICENSE
#
#   Copyright (c) 2026 DTrace for Linux authors
#
#   MIT, as in LICENSES/MIT.txt.

#serial 4

AC_DEFUN([AX_DTRACE], [
AC_REQUIRE([AC_PROG_CC])
AC_ARG_VAR([DTRACE], [the dtrace command])
AC_ARG_VAR([DTRACE_FLAGS], [more options for dtrace -h and dtrace -G])
AC_ARG_ENABLE([dtrace],
	[AS_HELP_STRING([--enable-dtrace@<:@=PATH@:>@], [build with static probes (default: ]m4_default([$1], [no])[)])],
	[], [enable_dtrace=m4_default([$1], [no])])
DTRACE_CPPFLAGS=
DTRACE_MACHINE=
AS_IF([test "x$enable_dtrace" != xno], [
	AS_CASE([$enable_dtrace], [yes|auto], [], [DTRACE=$enable_dtrace])
	AS_CASE([$DTRACE], [/*], [], [*/*], [DTRACE=`pwd`/$DTRACE])
	_AX_DTRACE_BESIDE_HEADER
	ax_dtrace_other=
	AS_IF([test -n "$DTRACE"], [AC_PATH_PROG([DTRACE], [$DTRACE])],
	      [AC_PATH_PROGS_FEATURE_CHECK([DTRACE], [dtrace],
		[_AX_DTRACE_IF_OURS([$ac_path_DTRACE],
			[ac_cv_path_DTRACE=$ac_path_DTRACE ac_path_DTRACE_found=:],
			[ax_dtrace_other=$ac_path_DTRACE])],
		[DTRACE=$ax_dtrace_other],
		[$PATH$PATH_SEPARATOR$ax_dtrace_beside$PATH_SEPARATOR/usr/local/bin$PATH_SEPARATOR/usr/local/sbin$PATH_SEPARATOR/usr/sbin])
	       DTRACE=${ac_cv_path_DTRACE:-$DTRACE}])
	_AX_DTRACE_DECIDE
])
AC_SUBST([DTRACE_CPPFLAGS])
AC_SUBST([DTRACE_MACHINE])
AS_IF([test "x$enable_dtrace" != xno],
	[AC_DEFINE([ENABLE_DTRACE], [1], [Define to 1 to build with static probes.])])
m4_ifdef([AM_CONDITIONAL], [AM_CONDITIONAL([ENABLE_DTRACE], [test "x$enable_dtrace" != xno])])
])

# Check whether a command is the one of this project: others have that name, too.
AC_DEFUN([_AX_DTRACE_IF_OURS],
[AS_CASE([`$1 -V 2>/dev/null`], [*"DTrace for Linux "*], [$2], [$3])])

# Where the command is if it was installed with the header that the compiler finds: PREFIX/bin.
AC_DEFUN([_AX_DTRACE_BESIDE_HEADER], [
AC_LANG_PUSH([C])
AC_LANG_CONFTEST([AC_LANG_SOURCE([[@%:@include <sys/sdt.h>]])])
ax_dtrace_beside=`$CC -E $CPPFLAGS $CFLAGS conftest.c 2>/dev/null | sed -n 's,^# [[0-9]]* "\(.*\)/include/.*sdt\.h".*,\1/bin,p' | sed 1q`
rm -f conftest.c
AC_LANG_POP([C])
])

# Check whether what was found is good enough for what was asked.
AC_DEFUN([_AX_DTRACE_DECIDE], [
AC_LANG_PUSH([C])
_AX_DTRACE_MACHINE
ax_dtrace_ours=no
_AX_DTRACE_IF_OURS([$DTRACE], [ax_dtrace_ours=yes])
AS_IF([test -z "$DTRACE"], [ax_dtrace_why="there is no dtrace command; set DTRACE"],
      [test $ax_dtrace_ours = no],
	[ax_dtrace_why="$DTRACE is not DTrace for Linux (SystemTap has a command of that name, too); set DTRACE"],
      [test "x$ax_cv_dtrace_machine" = xunknown],
	[ax_dtrace_why="there are no probes on this machine"], [
	DTRACE_MACHINE=$ax_cv_dtrace_machine
	_AX_DTRACE_WORKS
	AS_CASE([$ax_cv_dtrace_works],
		[no], [ax_dtrace_why="no program with a probe can be built; see config.log"],
		[ax_dtrace_why=
		 DTRACE_CPPFLAGS=`AS_ECHO(["$ax_cv_dtrace_works"]) | sed 's/^yes,* *//'`])
])
AC_LANG_POP([C])
AS_IF([test -n "$ax_dtrace_why"], [
	AS_IF([test "x$enable_dtrace" = xauto],
		[AC_MSG_NOTICE([no static probes: $ax_dtrace_why])
		 enable_dtrace=no],
		[AC_MSG_ERROR([--enable-dtrace: $ax_dtrace_why])])
])
])

# Find the machine that programs are for, as the compiler says.
AC_DEFUN([_AX_DTRACE_MACHINE], [
AC_CACHE_CHECK([for the machine of probes], [ax_cv_dtrace_machine], [
ax_cv_dtrace_machine=unknown
for ax_dtrace_machine in x86_64 i386 aarch64; do
	AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#ifndef __${ax_dtrace_machine}__
choke me
#endif
]])], [ax_cv_dtrace_machine=$ax_dtrace_machine])
done
])
])

AC_DEFUN([_AX_DTRACE_WORKS], [
AC_CACHE_CHECK([whether $DTRACE and sys/sdt.h work], [ax_cv_dtrace_works], [
ax_cv_dtrace_works=no
cat >conftest_provider.d <<_AX_DTRACE_EOF
provider conftest { probe fire(int); };
_AX_DTRACE_EOF
AC_LANG_CONFTEST([AC_LANG_PROGRAM([[@%:@include "conftest_provider.h"]],
				  [[if (CONFTEST_FIRE_ENABLED()) CONFTEST_FIRE(1);]])])
ax_dtrace_include=-I`AS_DIRNAME(["$DTRACE"])`/../include
for ax_dtrace_flags in "" "$ax_dtrace_include"; do
	AS_IF([$DTRACE $DTRACE_FLAGS -h -s conftest_provider.d \
			-o conftest_provider.h >&AS_MESSAGE_LOG_FD 2>&1 &&
	       $CC $CPPFLAGS $ax_dtrace_flags $CFLAGS -I. \
			-c conftest.c >&AS_MESSAGE_LOG_FD 2>&1 &&
	       $DTRACE $DTRACE_FLAGS -G -x machine=$DTRACE_MACHINE \
			-s conftest_provider.d -o conftest_provider.o conftest.$OBJEXT >&AS_MESSAGE_LOG_FD 2>&1 &&
	       $CC $CFLAGS $LDFLAGS conftest.$OBJEXT conftest_provider.o \
			-o conftest$EXEEXT $LIBS >&AS_MESSAGE_LOG_FD 2>&1],
	      [ax_cv_dtrace_works="yes${ax_dtrace_flags:+, $ax_dtrace_flags}"
	       break])
done
rm -f conftest_provider.d conftest_provider.h conftest_provider.o
rm -f conftest.c conftest.$OBJEXT conftest$EXEEXT
])
])

AC_DEFUN([AX_DTRACE_AUTOMAKE], [
m4_ifndef([AX_ADD_AM_MACRO_STATIC],
	[m4_fatal([AX_DTRACE_AUTOMAKE needs AX_ADD_AM_MACRO_STATIC: install autoconf-archive])])
AX_ADD_AM_MACRO_STATIC([
# AX_DTRACE_AUTOMAKE: provider files
SUFFIXES = .d .h .o .lo
.d.h:
	@test ! -f \$(@) || grep 'Made by dtrace -h' \$(@) >/dev/null || { echo '\$(@) is not made by dtrace -h: give \$< another name' >&2; exit 1; }
	\$(AM_V_GEN)\$(DTRACE) \$(DTRACE_FLAGS) -h -s \$< -o \$(@)
.d.o:
	\$(AM_V_GEN)\$(DTRACE) \$(DTRACE_FLAGS) -G -x machine=\$(DTRACE_MACHINE) -s \$< -o \$(@)
.d.lo:
	\$(AM_V_GEN)\$(LIBTOOL) \$(AM_V_lt) --tag=CC --mode=compile \$(DTRACE) \$(DTRACE_FLAGS) -G -x machine=\$(DTRACE_MACHINE) -s \$< -o \$(@)
])
])
