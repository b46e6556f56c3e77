# SPDX-License-Identifier: MIT
# installed.sh - part of run: projects that find what is installed, with each build system.

# in_installed PART: projects that use what is installed in $STAGE, which is not where it was made for.
in_installed()
{
	root=${STAGE:-$BUILD/stage}/usr/local
	if [ ! -x "$root/bin/dtrace" ]; then
		skip "$1" "nothing installed in $root: run make stage"
		return
	fi
	LD_LIBRARY_PATH=$root/lib
	DTRACE_LIBDIR=$root/lib/dtrace
	export LD_LIBRARY_PATH DTRACE_LIBDIR
	$1
	unset LD_LIBRARY_PATH DTRACE_LIBDIR
}

installed()
{
	installed_cmake
	installed_fetched
	installed_make
	installed_pkgconfig
	installed_runtime
	installed_autoconf
	installed_automake
	installed_foreign
	installed_cross
}

# Print the messages of N programs or libraries with drti if the device is not the module's.
not_registered()
{
	yes "dtrace: the module refuses the probes, /proc/dtrace/helper_errors says why: errno 25" \
		| head -n "$1"
}

installed_cmake()
{
	for generator in Ninja "Unix Makefiles" "Ninja Multi-Config"; do
		for variant in Debug Release; do
			cmake_consumer "$generator" $variant
		done
	done
	cmake_exact Ninja
	cmake_exact "Ninja Multi-Config"
	cmake_exact "Unix Makefiles"
	cmake_ways
	cmake_ipo
	cmake_exported
	cmake_elsewhere
	cmake_refused
	cmake_optional
}

# build GENERATOR VARIANT FOLDER CMAKE-ARGUMENTS...: a project configured and built in $T/cmake
build()
{
	generator=$1
	variant=$2
	source=$3
	shift 3
	rm -rf "$T/cmake"
	cmake -S "$source" -B "$T/cmake" -G "$generator" -DCMAKE_BUILD_TYPE="$variant" \
		-DCMAKE_PREFIX_PATH="$root" "$@" >"$T/out" 2>&1 &&
		cmake --build "$T/cmake" --config "$variant" >>"$T/out" 2>&1
}

# Return when a file that is written has a later time than all that were: not every file system counts nanoseconds.
later()
{
	: >"$T/before"
	until [ "$T/now" -nt "$T/before" ]; do
		: >"$T/now"
	done
}

# Print what was done when it was built once more.
build_again()
{
	cmake --build "$T/cmake" --config "$variant" 2>&1 |
		grep -oE '(Building|Linking|Generating) .*' | sed 's|\.dir/Debug/|.dir/|' | sort
}

# Each library and program with probes registers once: three times one with two libraries.
# consumer_programs [BITS]
consumer_programs()
{
	folder=$(find "$T/cmake/out" -name consumer_called -printf '%h')
	for program in consumer_recorded consumer_called only_static header_only; do
		LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$folder DTRACE_DOF_INIT_DEVNAME=/dev/null \
			DTRACE_DOF_INIT_DEBUG=1 machine "${1:-64}" "$folder/$program" ||
			echo "$program: status $?"
	done
}

cmake_consumer()
{
	build "$1" "$2" cmake && consumer_programs >"$T/out" 2>&1
	not_registered 8 >"$T/expected"
	compare "installed: CMake, $1, $2"
	build_again >"$T/log"
	result "installed: CMake, $1, $2: a second time" "$T/log"
}

# cmake_exact GENERATOR [CMAKE-ARGUMENTS...]: a change is followed as far as it matters, no further
cmake_exact()
{
	rm -rf "$T/exact"
	cp -r cmake "$T/exact"
	exact="$1${2:+, for aarch64}"
	generator=$1
	shift
	build "$generator" Debug "$T/exact" "$@" || cp "$T/out" "$T/log"
	later
	echo "/* a remark */" >>"$T/exact/other.d"
	build_again >"$T/out"
	printf 'Generating %s\n' call_sites.d other.h other.o other.o | sort >"$T/expected"
	sed -i '/other.o/d; /call_sites.d/d' "$T/expected" "$T/out"
	compare "installed: CMake, $exact: a remark in a provider file"
	later
	sed -i 's/int status/long status/' "$T/exact/other.d"
	build_again | grep -v Generating >"$T/out"
	cat >"$T/expected" <<-END
	Building CXX object CMakeFiles/consumer_called.dir/main.cc.o
	Building CXX object CMakeFiles/consumer_recorded.dir/main.cc.o
	Linking CXX executable out/Debug/consumer_called
	Linking CXX executable out/Debug/consumer_recorded
	END
	compare "installed: CMake, $exact: a type in a provider file"
	later
	echo "/* a remark */" >>"$T/exact/only_main.c"
	build_again >"$T/out"
	cat >"$T/expected" <<-END
	Building C object CMakeFiles/header_only.dir/only_main.c.o
	Building C object CMakeFiles/only_static.dir/only_main.c.o
	Linking C executable out/Debug/header_only
	Linking C executable out/Debug/only_static
	END
	compare "installed: CMake, $exact: a source"
	build_again >"$T/log"
	result "installed: CMake, $exact: and nothing more" "$T/log"
}

# Other compilers, link-time optimisation, 32 bits, a compiler cache.
cmake_ways()
{
	build Ninja Release cmake -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ &&
		consumer_programs >"$T/out" 2>&1
	not_registered 8 >"$T/expected"
	compare "installed: CMake, clang"
	build Ninja Release cmake -DCMAKE_C_FLAGS=-m32 -DCMAKE_CXX_FLAGS=-m32 &&
		consumer_programs 32 >"$T/out" 2>&1
	not_registered 8 | sed "${run32:+s/25$/38/}" >"$T/expected"	# qemu does not know the request
	compare "installed: CMake, 32 bits"
	not_registered 8 >"$T/expected"
	build Ninja Release cmake -DCMAKE_C_COMPILER_LAUNCHER=env &&
		consumer_programs >"$T/out" 2>&1
	compare "installed: CMake, a compiler's launcher"
	build Ninja Release cmake -DCMAKE_C_FLAGS=-flto -DCMAKE_CXX_FLAGS=-flto
	grep -q 'compiled for optimisation at link time' "$T/out" && : >"$T/log" || cp "$T/out" "$T/log"
	result "installed: CMake, call sites and LTO: a message" "$T/log"
	cmake --build "$T/cmake" --target consumer_recorded >"$T/out" 2>&1 &&
		DTRACE_DOF_INIT_DEVNAME=/dev/null DTRACE_DOF_INIT_DEBUG=1 \
			"$T/cmake/out/Release/consumer_recorded" >"$T/out" 2>&1
	not_registered 3 >"$T/expected"
	compare "installed: CMake, LTO"
}

# CMake's own way to ask for optimisation when linking.
cmake_ipo()
{
	rm -rf "$T/cmake"
	cmake -S cmake -B "$T/cmake" -G Ninja -DCMAKE_BUILD_TYPE=Release \
		-DCMAKE_PREFIX_PATH="$root" -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON >"$T/out" 2>&1 &&
		cmake --build "$T/cmake" --target consumer_recorded >"$T/out" 2>&1 &&
		DTRACE_DOF_INIT_DEVNAME=/dev/null DTRACE_DOF_INIT_DEBUG=1 \
			"$T/cmake/out/Release/consumer_recorded" >"$T/out" 2>&1
	not_registered 3 >"$T/expected"
	compare "installed: CMake, CMAKE_INTERPROCEDURAL_OPTIMIZATION"
	dtrace -G --fire "$T/cmake/out/Release/consumer_recorded" >"$T/out" 2>"$T/log"
	[ -s "$T/out" ] || echo "no probe fires" >>"$T/log"
	result "installed: CMake, CMAKE_INTERPROCEDURAL_OPTIMIZATION: the probes fire" "$T/log"
}

# Libraries that are installed, in a project that knows nothing of DTrace.
cmake_exported()
{
	rm -rf "$T/prefix"
	build Ninja Release cmake -DCMAKE_INSTALL_PREFIX="$T/prefix" &&
		cmake --install "$T/cmake" >>"$T/out" 2>&1 &&
		build Ninja Release cmake-user -DCMAKE_PREFIX_PATH="$T/prefix" &&
		for part in static_recorded static_called shared_recorded; do
			DTRACE_DOF_INIT_DEVNAME=/dev/null DTRACE_DOF_INIT_DEBUG=1 \
				"$T/cmake/user_$part"
		done >"$T/out" 2>&1
	not_registered 3 >"$T/expected"
	compare "installed: CMake, exported libraries"
	# The declarations are there, not only the sites.
	for part in static_recorded static_called; do
		strings "$T/cmake/user_$part" | grep -x 'const char \*' || echo "$part: no types"
	done >"$T/out"
	printf 'const char *\nconst char *\n' >"$T/expected"
	compare "installed: CMake, exported libraries have their types"
}

# Targets of another folder, in a project with the policies of an old CMake; the package was found in
# another scope.
cmake_elsewhere()
{
	for generator in Ninja "Unix Makefiles"; do
		build "$generator" Release cmake-elsewhere && "$root/bin/dtrace" -G --list \
			"$T/cmake/program" "$T/cmake/part/libshared.so" >"$T/out" 2>&1
		sed -i 's/ 0x.*(/ (/' "$T/out"
		printf '%s\n' "elsewhere:program:part:here (int -4@%edi)" \
			"elsewhere:libshared.so:part:here (int -4@%edi)" >"$T/expected"
		compare "installed: CMake, targets of another folder, $generator"
	done
}

# Mistakes are told in words.
cmake_refused()
{
	while read -r wrong words <&3; do
		if build Ninja Release cmake -DWRONG="$wrong"; then
			echo "it builds" >"$T/log"
		elif tr -s '\n ' ' ' <"$T/out" | grep -q "$words"; then
			: >"$T/log"
		else
			cp "$T/out" "$T/log"
		fi
		result "installed: CMake refuses: $wrong" "$T/log"
	done 3<<-END
		file missing.d is neither a provider file nor a word that is known
		word CALLS is neither a provider file nor a word that is known
		target there is no target nobody
		interface nothing has no code of its own
		component Sound
		version version: 0.1
		provider wrong.d:1: .*expected
		name /other.d would both become .*: give one another name
		twice consumer_called has probes already: with CALLED, name all its provider files
	END
	build Ninja Release cmake -DDTRACE_EXECUTABLE=/nonexistent/dtrace
	tr -s '\n ' ' ' <"$T/out" | grep -q 'set DTRACE_EXECUTABLE to' && : >"$T/log" || cp "$T/out" "$T/log"
	result "installed: CMake refuses: no command" "$T/log"
}

# The same project with DTrace, without it, and with the option off.
cmake_optional()
{
	FALLBACK=$root/lib/cmake/DTrace/DTraceOptional.cmake
	build Ninja Release cmake-optional -DFALLBACK="$FALLBACK" && optional_programs
	printf 'evaluated 2\nsites\nsites\n' >"$T/expected"
	compare "installed: CMake, optional, found"
	build Ninja Release cmake-optional -DFALLBACK="$FALLBACK" -DDTRACE_PROBES=OFF &&
		optional_programs
	printf 'evaluated 0\n' >"$T/expected"
	compare "installed: CMake, optional, off"
	build Ninja Release cmake-optional -DFALLBACK="$FALLBACK" -DCMAKE_DISABLE_FIND_PACKAGE_DTrace=ON \
		-DCMAKE_C_FLAGS="-Wall -Wextra -Werror" && optional_programs
	compare "installed: CMake, optional, not installed"
}

# The whole project within another one: all of it is compiled.
installed_fetched()
{
	build Ninja Debug fetchcontent -DDTRACE_SOURCE="$TOP" && {
		for program in declared called plain made_Probes made_ProbesStatic; do
			DTRACE_DOF_INIT_DEVNAME=/dev/null DTRACE_DOF_INIT_DEBUG=1 "$T/cmake/out/$program"
		done 2>&1
		"$T/cmake/out/consumer"
	} >"$T/out" 2>&1
	{
		not_registered 4
		echo "not enabled"
		not_registered 1
		echo "not enabled"
		sed -n 's/^project(DTrace VERSION \([0-9.]*\).*/\1/p' "$TOP/CMakeLists.txt"
	} >"$T/expected"
	compare "installed: CMake, FetchContent"
	dtrace -G --list "$T/cmake/out/declared" "$T/cmake/out/called" | sed 's/ 0x[^(]*(int .*/ (int)/' >"$T/out" 2>&1
	printf 'bringing:%s:main:begin (int)\n' declared called >"$T/expected"
	compare "installed: CMake, FetchContent: the probes are declared"
	grep -ho 'dtrace_inside\|libdtrace_engine\.a\|simple_program' "$T/cmake/build.ninja" | sort -u >"$T/log"
	result "installed: CMake, FetchContent: no tests are built" "$T/log"
}

optional_programs()
{
	{
		"$T/cmake/optional"
		for program in optional plain; do
			readelf -SW "$T/cmake/$program" | grep -o 'dtrace_sites' | sed 's/dtrace_//'
		done
	} >"$T/out" 2>&1
}

installed_make()
{
	cp -r "$TOP/samples/c/simple" "$T/simple"
	make -C "$T/simple" PREFIX="$root" >"$T/out" 2>&1 && {
		for program in simple classic/simple; do
			DTRACE_DOF_INIT_DEVNAME=/dev/null DTRACE_DOF_INIT_DEBUG=1 \
				"$T/simple/$program" 0
		done >"$T/out" 2>&1
	}
	not_registered 4 >"$T/expected"
	compare "installed: the sample's Makefile"
}

installed_pkgconfig()
{
	PKG_CONFIG_PATH=$root/lib/pkgconfig
	export PKG_CONFIG_PATH
	{
		pkg-config --cflags dtrace-sdt
		pkg-config --variable=dtrace dtrace-sdt
		for variable in drti drti_x86_64 drti_x86 drti_aarch64; do
			pkg-config --variable=$variable dtrace-sdt
		done
	} | sed 's/ *$//' >"$T/out" 2>&1
	there=$root/lib/pkgconfig/../..
	printf '%s\n' "-I$there/include" "$there/bin/dtrace" "$there/lib/dtrace/drti.o" \
		"$there/lib/dtrace/drti.o" "$there/lib/dtrace/drti32.o" \
		"$there/lib/dtrace/aarch64/drti.o" >"$T/expected"
	compare "installed: pkg-config"
	cat >"$T/version.c" <<-END
	#include <libdtrace.h>
	#include <stdio.h>
	int main(void) { return puts(dtrace_version()) < 0; }
	END
	# shellcheck disable=SC2046
	gcc "$T/version.c" $(pkg-config --cflags --libs libdtrace) \
		-o "$T/version" >"$T/out" 2>&1 && "$T/version" >"$T/out" 2>&1
	"$root/bin/dtrace" -V | sed -n 's/^DTrace for Linux //p' >"$T/expected"
	compare "installed: pkg-config, libdtrace"
	unset PKG_CONFIG_PATH
}

# Probes made at run time: pkg-config and CMake, shared and static, C and C++.
installed_runtime()
{
	flags=$(PKG_CONFIG_PATH=$root/lib/pkgconfig pkg-config --cflags --libs dtrace-probes)
	for compiler in "gcc -std=c99" "gcc -std=c99 -static -pthread" "clang -std=c11" \
		"g++ -std=c++98 -Wno-long-long -xc++" "clang++ -std=c++20 -xc++"; do
		# shellcheck disable=SC2086
		$compiler -Wall -Wextra -Werror -pedantic runtime/main.c -xnone $flags -o "$T/runtime" \
			>"$T/out" 2>&1 && runtime_program "$T/runtime" >"$T/out" 2>&1
		runtime_expected
		compare "installed: probes at run time, pkg-config, $compiler"
	done
	build Ninja Release runtime && for part in shared archive; do
		runtime_program "$T/cmake/$part"
	done >"$T/out" 2>&1
	{ not_registered 1; echo "not enabled"; not_registered 1; echo "not enabled"; } >"$T/expected"
	compare "installed: probes at run time, CMake"
}

runtime_program()
{
	DTRACE_DOF_INIT_DEVNAME=/dev/null DTRACE_DOF_INIT_DEBUG=1 "$1" 2>&1
}

runtime_expected()
{
	{ not_registered 1; echo "not enabled"; } >"$T/expected"
}

installed_autoconf()
{
	rm -rf "$T/autoconf"
	cp -r autoconf "$T/autoconf"
	configured with yes --enable-dtrace="$root/bin/dtrace"
	configured without no
	configured auto no DTRACE=/nonexistent/dtrace AX_DTRACE_DEFAULT=auto
	configured again yes --enable-dtrace DTRACE="$root/bin/dtrace" --cache-file=config.cache
	grep -q "^ax_cv_dtrace_works=.*yes, -I" "$T/autoconf/config.cache" >"$T/log" ||
		echo "nothing in the cache" >"$T/log"
	result "installed: autoconf: cache variables" "$T/log"
	if (cd "$T/autoconf" && ./configure --enable-dtrace=/bin/false) >"$T/out" 2>&1 ||
		! grep -q '/bin/false is not DTrace for Linux' "$T/out"; then
		cp "$T/out" "$T/log"
	else
		: >"$T/log"
	fi
	result "installed: autoconf: a command that is no dtrace is refused" "$T/log"
	ln -sf "$root/bin/dtrace" "$T/autoconf/my-dtrace"
	PATH=$T/autoconf:$PATH configured "a name in PATH" yes --enable-dtrace=my-dtrace \
		CPPFLAGS="-I$root/include"
	grep -q "^DTRACE='.*/my-dtrace'" "$T/autoconf/config.log" && : >"$T/log" ||
		echo "another command" >"$T/log"
	result "installed: autoconf: that name and no other" "$T/log"
	configured "a relative path" yes --enable-dtrace=./my-dtrace CPPFLAGS="-I$root/include"
	autoconf_other
	sed -i 's/^AC_PROG_CC/AC_PROG_CXX\nAC_LANG([C++])/' "$T/autoconf/configure.ac"
	rm "$T/autoconf/configure"
	configured "a project in C++" yes --enable-dtrace="$root/bin/dtrace"
	installed_meson
}

# Put SystemTap's dtrace into $other: that of this machine, or a script that answers to -V as that does.
foreign_command()
{
	other=$T/other/bin
	mkdir -p "$other"
	if head -n 1 /usr/bin/dtrace 2>/dev/null | grep -q python; then
		ln -sf /usr/bin/dtrace "$other/dtrace"
		return
	fi
	printf '#!/bin/sh\necho "$0 invalid option $1"\nexit 1\n' >"$other/dtrace"
	chmod +x "$other/dtrace"
}

# SystemTap has a dtrace, too, and may be first in PATH: ours is behind it, or beside the header.
autoconf_other()
{
	foreign_command
	PATH=$other:$root/bin:$PATH configured "another's command is first in PATH" yes --enable-dtrace
	autoconf_chose
	PATH=$other:$PATH configured "ours is beside sys/sdt.h" yes --enable-dtrace=auto CPPFLAGS="-I$root/include"
	autoconf_chose
	configured "none but another's" no --enable-dtrace=auto DTRACE="$other/dtrace"
	(cd "$T/autoconf" && ./configure --enable-dtrace DTRACE="$other/dtrace") >"$T/out" 2>&1
	grep -q "error: --enable-dtrace: .*/dtrace is not DTrace for Linux (SystemTap" "$T/out" && : >"$T/log" || cp "$T/out" "$T/log"
	result "installed: autoconf: another's command is told" "$T/log"
}

autoconf_chose()
{
	found=$(sed -n "s/^DTRACE='\(.*\)'/\1/p" "$T/autoconf/config.log")
	[ "$found" -ef "$root/bin/dtrace" ] && : >"$T/log" || echo "another command: $found" >"$T/log"
	result "installed: autoconf: $name: it is ours" "$T/log"
}

# configured NAME yes|no ARGUMENTS...: whether there are probes after ./configure ARGUMENTS
configured()
{
	name=$1
	probes=$2
	shift 2
	(
		cd "$T/autoconf" || exit
		[ -x configure ] || autoreconf -fi -I "$root/share/aclocal" || exit
		./configure "$@" || exit
		grep -q '^#define ENABLE_DTRACE 1$' config.h && has=yes || has=no
		[ $has = "$probes" ] || { echo "probes: $has"; exit; }
		: >"$T/fine"
	) >"$T/out" 2>&1
	: >"$T/log"
	[ -e "$T/fine" ] || cp "$T/out" "$T/log"
	rm -f "$T/fine"
	result "installed: autoconf: $name" "$T/log"
}

# A program and a library of Libtool; built, built again, distributed, and built elsewhere.
installed_automake()
{
	rm -rf "$T/automake"
	cp -r automake "$T/automake"
	(
		cd "$T/automake" && autoreconf -fi -I "$root/share/aclocal" &&
			./configure --enable-dtrace="$root/bin/dtrace" && make && make V=1
	) >"$T/out" 2>&1 && automake_programs . >"$T/out"
	not_registered 3 >"$T/expected"
	compare "installed: automake and libtool"
	make --no-print-directory -C "$T/automake" 2>&1 | grep dtrace >"$T/log"
	result "installed: automake and libtool: a second time" "$T/log"
	automake_header
	(
		cd "$T/automake" && make distcheck \
			DISTCHECK_CONFIGURE_FLAGS="--enable-dtrace=$root/bin/dtrace"
	) >"$T/out" 2>&1 && : >"$T/out"
	tail -n 20 "$T/out" >"$T/log"
	result "installed: automake and libtool: make distcheck" "$T/log"
	automake_recipe
	(cd "$T/automake" && ./configure --disable-dtrace && make clean && make && ./program) \
		>"$T/out" 2>&1 && : >"$T/out"
	tail -n 20 "$T/out" >"$T/log"
	result "installed: automake and libtool: without probes" "$T/log"
}

# The recipe, as it stands in the README and in the macro's file, is a project that can be distributed.
automake_recipe()
{
	for page in sdk/README.md sdk/m4/ax_dtrace.m4; do
		rm -rf "$T/recipe"
		mkdir "$T/recipe"
		(
			cd "$T/recipe" || exit
			sed -n 's/^[# ]*include \$(top_srcdir)/include $(top_srcdir)/; /^include/,/AM_CPPFLAGS/s/^#* *//p' \
				"$TOP/$page" >Makefile.am
			grep -q '^bin_PROGRAMS' Makefile.am || sed -i '1a bin_PROGRAMS = myprogram' Makefile.am
			printf '%s\n' 'AC_INIT([recipe], [1])' 'AM_INIT_AUTOMAKE([foreign])' 'AC_PROG_CC' 'AX_DTRACE([yes])' \
				'AX_DTRACE_AUTOMAKE' 'AC_CONFIG_FILES([Makefile])' AC_OUTPUT >configure.ac
			echo 'provider myapp { probe begin(int); };' >myapp.d
			printf '%s\n' '#include "myapp.h"' 'int main(void) { MYAPP_BEGIN(1); return 0; }' >main.c
			export DTRACE="$root/bin/dtrace"
			autoreconf -fi -I "$root/share/aclocal" && ./configure && make && make distcheck
		) >"$T/out" 2>&1 && : >"$T/out"
		tail -n 20 "$T/out" >"$T/log"
		result "installed: automake: make distcheck of the recipe in $page" "$T/log"
	done
}

# A D script beside a header of the same name does not become the header.
automake_header()
{
	echo '/* by hand */' >"$T/automake/part.h"
	later
	echo 'BEGIN { exit(0); }' >"$T/automake/part.d"
	if make -C "$T/automake" part.h >"$T/out" 2>&1; then
		echo "it was made" >"$T/log"
	else
		grep -q 'part.h is not made by dtrace -h: give part.d another name' "$T/out" &&
			echo '/* by hand */' | cmp - "$T/automake/part.h" >"$T/log" 2>&1 ||
			cp "$T/out" "$T/log"
	fi
	rm "$T/automake/part.h" "$T/automake/part.d"
	result "installed: automake: a header that is not ours is left alone" "$T/log"
}

automake_programs()
{
	for program in program program_static; do
		DTRACE_DOF_INIT_DEVNAME=/dev/null DTRACE_DOF_INIT_DEBUG=1 "$T/automake/$program" 2>&1
	done
}

installed_meson()
{
	rm -rf "$T/meson"
	PKG_CONFIG_PATH=$root/lib/pkgconfig meson setup "$T/meson" meson -Ddtrace=enabled >"$T/out" 2>&1 &&
		ninja -C "$T/meson" >>"$T/out" 2>&1 &&
		DTRACE_DOF_INIT_DEVNAME=/dev/null DTRACE_DOF_INIT_DEBUG=1 "$T/meson/program" \
			>"$T/out" 2>&1
	not_registered 2 >"$T/expected"
	compare "installed: meson"
	ninja -C "$T/meson" 2>&1 | grep -v 'Entering\|no work' >"$T/log"
	result "installed: meson: a second time" "$T/log"
	rm -rf "$T/meson"
	PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=/nonexistent meson setup "$T/meson" meson \
		-Ddtrace=enabled >"$T/out" 2>&1 && echo "it is set up" >>"$T/out"
	grep -q 'ERROR: Dependency "dtrace-sdt" not found' "$T/out" && : >"$T/log" || cp "$T/out" "$T/log"
	result "installed: meson refuses: not installed" "$T/log"
	rm -rf "$T/meson"
	meson setup "$T/meson" meson -Ddtrace=disabled >"$T/out" 2>&1 &&
		ninja -C "$T/meson" >>"$T/out" 2>&1 && "$T/meson/program" >>"$T/out" 2>&1 && : >"$T/out"
	tail -n 20 "$T/out" >"$T/log"
	result "installed: meson: without probes" "$T/log"
}

# The recipes and the samples refuse SystemTap's command before they build anything, and say what to do.
installed_foreign()
{
	foreign_command
	foreign_samples
	foreign_meson
	foreign_cmake
}

# told_foreign NAME HINT COMMAND...: it fails; $T/out has the message, and nothing of what SystemTap's command would say later
told_foreign()
{
	name=$1
	hint=$2
	shift 2
	: >"$T/log"
	if "$@" >"$T/out" 2>&1; then
		{ echo "it is built"; tail -n 10 "$T/out"; } >"$T/log"
	elif ! tr -s '\n ' ' ' <"$T/out" | grep -q "/dtrace is not DTrace for Linux (SystemTap has a command of that name, too): $hint"; then
		{ echo "the message is not:"; echo "$hint"; tail -n 10 "$T/out"; } >"$T/log"
	fi
	result "installed: another's command: $name" "$T/log"
}

# told_ours NAME COMMAND...: the same with our command goes on
told_ours()
{
	name=$1
	shift
	"$@" >"$T/out" 2>&1 && : >"$T/log" || tail -n 20 "$T/out" >"$T/log"
	result "installed: another's command: $name: ours is accepted" "$T/log"
}

# SystemTap's command is first in PATH in all of these.
foreign_samples()
{
	for sample in c/simple c/words perl/stacks python/stacks; do
		there=$T/foreign/$sample
		rm -rf "$there"
		mkdir -p "${there%/*}"
		cp -r "$TOP/samples/$sample" "$there"
		told_foreign "make, samples/$sample" "set PREFIX or DTRACE" \
			env PATH="$other:$PATH" make -C "$there" DTRACE="$other/dtrace"
		told_ours "make, samples/$sample, by its prefix" env PATH="$other:$PATH" make -n -C "$there" PREFIX="$root"
		told_ours "make, samples/$sample, by pkg-config" \
			env PATH="$other:$PATH" PKG_CONFIG_PATH="$root/lib/pkgconfig" make -n -C "$there"
	done
}

foreign_meson()
{
	mkdir -p "$T/pc"
	sed "s|^dtrace=.*|dtrace=$other/dtrace|" "$root/lib/pkgconfig/dtrace-sdt.pc" >"$T/pc/dtrace-sdt.pc"
	for project in meson "$TOP/samples/c/words"; do
		rm -rf "$T/meson"
		told_foreign "Meson, $(basename "$project")" 'set PKG_CONFIG_PATH to PREFIX/lib/pkgconfig of DTrace for Linux' \
			env PATH="$other:$PATH" PKG_CONFIG_PATH="$T/pc" meson setup "$T/meson" "$project"
		rm -rf "$T/meson"
		told_ours "Meson, $(basename "$project")" \
			env PATH="$other:$PATH" PKG_CONFIG_PATH="$root/lib/pkgconfig" meson setup "$T/meson" "$project"
	done
	# The page has the lines of the project that is tested.
	sed -n '/^dtrace = find_program/,/^endif/p' "$TOP/samples/c/words/meson.build" >"$T/expected"
	sed -n 's/^    //; /^dtrace = find_program/,/^endif/p' "$TOP/sdk/README.md" >"$T/out"
	compare "installed: another's command: Meson, the recipe in sdk/README.md"
}

foreign_cmake()
{
	rm -rf "$T/cmake"
	told_foreign "CMake" "set DTRACE_EXECUTABLE" env PATH="$other:$PATH" cmake -S "$TOP/samples/c/words" -B "$T/cmake" -G Ninja \
		-DCMAKE_PREFIX_PATH="$root" -DDTRACE_EXECUTABLE="$other/dtrace"
	rm -rf "$T/cmake"
	told_ours "CMake" env PATH="$other:$PATH" cmake -S "$TOP/samples/c/words" -B "$T/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$root"
}

# Linked code is for another machine; the programs that build it are not.
installed_cross()
{
	if ! command -v qemu-aarch64 >/dev/null || [ ! -e "$root/lib/dtrace/aarch64/drti.o" ]; then
		skip "installed: for aarch64" "no qemu-aarch64, or drti was built without cross tools"
		return
	fi
	if ! cross=$("$TOP/tools/cross-gcc" 2>"$T/err"); then
		skip "installed: for aarch64" "$(tail -n 1 "$T/err")"
		return
	fi
	before=$PATH
	PATH=$cross:$PATH
	cross_cmake
	cross_automake
	cross_meson
	PATH=$before
}

cross_cmake()
{
	found="-DDTrace_DIR=$root/lib/cmake/DTrace -DCMAKE_TOOLCHAIN_FILE=$HERE/cmake/aarch64.cmake"
	for generator in Ninja "Unix Makefiles"; do
		# shellcheck disable=SC2086
		build "$generator" Release cmake $found && consumer_programs aarch64 >"$T/out" 2>&1
		not_registered_there 8
		compare "installed: CMake for aarch64, $generator"
		build_again >"$T/log"
		result "installed: CMake for aarch64, $generator: a second time" "$T/log"
	done
	# shellcheck disable=SC2086
	cmake_exact Ninja $found
	sed 's/PROCESSOR aarch64/PROCESSOR riscv64/' cmake/aarch64.cmake >"$T/riscv64.cmake"
	build Ninja Release cmake -DDTrace_DIR="$root/lib/cmake/DTrace" \
		-DCMAKE_TOOLCHAIN_FILE="$T/riscv64.cmake"
	grep -q 'there are no probes on riscv64' "$T/out" && : >"$T/log" || cp "$T/out" "$T/log"
	result "installed: CMake refuses: a machine without probes" "$T/log"
}

# As not_registered, with what was said in $T/out; qemu has errors of its own.
not_registered_there()
{
	not_registered "$1" | sed 's/[0-9]*$//' >"$T/expected"
	sed -i 's/errno [0-9]*$/errno /' "$T/out"
}

# cross_program FOLDER PROGRAM: where the linker put it, without libtool's script
cross_program()
{
	LD_LIBRARY_PATH=$1:$1/.libs DTRACE_DOF_INIT_DEVNAME=/dev/null DTRACE_DOF_INIT_DEBUG=1 \
		machine aarch64 "$1/$2" 2>&1
}

cross_automake()
{
	rm -rf "$T/automake"
	cp -r automake "$T/automake"
	(
		cd "$T/automake" && autoreconf -fi -I "$root/share/aclocal" &&
			./configure --host=aarch64-linux-gnu --enable-dtrace="$root/bin/dtrace" &&
			make
	) >"$T/out" 2>&1 && {
		cross_program "$T/automake" .libs/program
		cross_program "$T/automake" program_static
	} >"$T/out"
	not_registered_there 3
	compare "installed: automake and libtool for aarch64"
	make --no-print-directory -C "$T/automake" 2>&1 | grep dtrace >"$T/log"
	result "installed: automake and libtool for aarch64: a second time" "$T/log"
}

cross_meson()
{
	rm -rf "$T/meson"
	PKG_CONFIG_LIBDIR=$root/lib/pkgconfig meson setup "$T/meson" meson -Ddtrace=enabled \
		--cross-file meson/aarch64.ini >"$T/out" 2>&1 &&
		ninja -C "$T/meson" >>"$T/out" 2>&1 &&
		cross_program "$T/meson" program >"$T/out"
	not_registered_there 2
	compare "installed: meson for aarch64"
	ninja -C "$T/meson" 2>&1 | grep -v 'Entering\|no work' >"$T/log"
	result "installed: meson for aarch64: a second time" "$T/log"
}
