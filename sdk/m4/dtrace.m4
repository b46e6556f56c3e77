# SPDX-License-Identifier: MIT
# dtrace.m4 - static probes in projects that use autoconf.
#
# AX_DTRACE --------- Adds --enable-dtrace[=PATH] (off if it is not given). With it, looks for the
# command dtrace (variable DTRACE, else in PATH and sbin) and for sys/sdt.h, and checks that both
# serve: a provider file becomes a header, a program that uses it compiles, and the object of
# `dtrace -G` links with it. Fails if they do not. Sets DTRACE, the Automake conditional
# ENABLE_DTRACE and the C macro ENABLE_DTRACE.
#
#	AX_DTRACE
#
# and in Makefile.am:
#
#	probes.h: probes.d
#		$(DTRACE) -h -s $< -o $@
#	probes.o: probes.d $(program_OBJECTS)
#		$(DTRACE) -G -s $< -o $@ $(program_OBJECTS)
#	program_LDADD = probes.o
AC_DEFUN([AX_DTRACE], [
AC_ARG_VAR([DTRACE], [the dtrace command])
AC_ARG_ENABLE([dtrace],
	[AS_HELP_STRING([--enable-dtrace@<:@=PATH@:>@], [build with static probes])],
	[], [enable_dtrace=no])
AS_IF([test "x$enable_dtrace" != xno], [
	AS_CASE([$enable_dtrace], [yes], [], [DTRACE=$enable_dtrace])
	AC_PATH_PROG([DTRACE], [dtrace], [],
		[$PATH$PATH_SEPARATOR/usr/local/sbin$PATH_SEPARATOR/usr/sbin])
	AS_IF([test -z "$DTRACE"],
		[AC_MSG_ERROR([--enable-dtrace: there is no dtrace command; set DTRACE])])
	_AX_DTRACE_WORKS
	AC_DEFINE([ENABLE_DTRACE], [1], [Define to 1 to build with static probes.])
])
m4_ifdef([AM_CONDITIONAL], [AM_CONDITIONAL([ENABLE_DTRACE], [test "x$enable_dtrace" != xno])])
])

AC_DEFUN([_AX_DTRACE_WORKS], [
AC_MSG_CHECKING([whether $DTRACE and sys/sdt.h work])
cat >conftest_provider.d <<_DTRACE_EOF
provider conftest { probe fire(int); };
_DTRACE_EOF
AC_LANG_CONFTEST([AC_LANG_PROGRAM([[@%:@include "conftest_provider.h"]],
				  [[if (CONFTEST_FIRE_ENABLED()) CONFTEST_FIRE(1);]])])
AS_IF([$DTRACE -h -s conftest_provider.d -o conftest_provider.h >&AS_MESSAGE_LOG_FD 2>&1 &&
       $CC $CPPFLAGS $CFLAGS -I. -c conftest.c >&AS_MESSAGE_LOG_FD 2>&1 &&
       $DTRACE -G -s conftest_provider.d -o conftest_provider.o \
		conftest.$OBJEXT >&AS_MESSAGE_LOG_FD 2>&1 &&
       $CC $CFLAGS $LDFLAGS conftest.$OBJEXT conftest_provider.o \
		-o conftest$EXEEXT $LIBS >&AS_MESSAGE_LOG_FD 2>&1],
      [AC_MSG_RESULT([yes])],
      [AC_MSG_RESULT([no])
       AC_MSG_ERROR([--enable-dtrace: no program with a probe can be built; see config.log])])
rm -f conftest_provider.d conftest_provider.h conftest_provider.o
rm -f conftest.c conftest.$OBJEXT conftest$EXEEXT
])
