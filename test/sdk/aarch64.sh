# SPDX-License-Identifier: MIT
# aarch64.sh - part of run: programs for another machine, run by qemu-aarch64.

aarch64()
{
	aarch64_ready || return
	aarch64_freestanding
	aarch64_compilers <<-END
		-O0 -static
		-O2
	END
	aarch64_drti
}

# aarch64_ways: the same programs in all ways that say something of the code
aarch64_ways()
{
	aarch64_ready || return
	aarch64_compilers <<-END
		-O1 -static
		-O2 -static
		-O3 -static
		-Os -static
		-O2 -fPIC
		-O2 -fno-pic -no-pie
		-O2 -static-pie -fPIE
		-O2 -static -flto
		-O2 -static -mbranch-protection=standard
		-O2 -static -g -ffunction-sections -Wl,--gc-sections
	END
}

# Return whether the tools are here. Make what the programs are linked with.
aarch64_ready()
{
	for tool in clang qemu-aarch64 aarch64-linux-gnu-ld; do
		if ! command -v $tool >/dev/null; then
			skip "aarch64" "no $tool here"
			return 1
		fi
	done
	if [ ! -e /usr/aarch64-linux-gnu/include/stdlib.h ]; then
		skip "aarch64" "no C library for it: install libc6-dev-arm64-cross"
		return 1
	fi
	CLANG="clang --target=aarch64-linux-gnu -fuse-ld=lld"
	fire_object aarch64 "clang --target=aarch64-linux-gnu" aarch64-linux-gnu-ld \
		test/sdk/fire_aarch64 drti/operand_aarch64
}

# aarch64_compilers <FLAGS: each line with clang and gcc
aarch64_compilers()
{
	cat >"$T/flags"
	aarch64_compiler "$CLANG" "clang++ --target=aarch64-linux-gnu -fuse-ld=lld"
	if folder=$("$TOP/tools/cross-gcc" 2>"$T/err"); then
		aarch64_compiler "$folder/aarch64-linux-gnu-gcc" "$folder/aarch64-linux-gnu-g++"
	else
		skip "aarch64: gcc" "$(tail -n 1 "$T/err")"
	fi
}

# aarch64_compiler "C COMPILER" "C++ COMPILER"
aarch64_compiler()
{
	while read -r flags <&3; do
		for program in args leaf shapes; do
			fires $program "$1 $flags" $program.c aarch64
		done
		fires args "$2 $flags -xc++" args.c aarch64
		fires shapes98 "$2 $flags $LOCAL" shapes98.cc aarch64
		fires comdat "$2 $flags" "comdat.cc comdat_other.cc" aarch64
	done 3<"$T/flags"
	aarch64_calls "$1"
	aarch64_calls "$2 -xc++"
}

# Call sites, which dtrace -G of this machine rewrites.
aarch64_calls()
{
	if ! dtrace -h -s programs/calls.d -o "$T/calls.h" >"$T/log" 2>&1; then
		result "aarch64: dtrace -h" "$T/log"
		return
	fi
	while read -r flags <&3; do
		fires calls "$1 $flags -I$T" calls.c "aarch64: calls, recorded"
		case $flags in
		*-flto*) ;; # dtrace -G refuses such objects
		*) called "$1 $flags" "aarch64: " ;;
		esac
	done 3<"$T/flags"
}

# A program that needs nothing but the kernel, with a probe in assembly.
aarch64_freestanding()
{
	for way in -O0 -O2 "-O2 -fPIE" "-O2 -xc++"; do
		{
			# shellcheck disable=SC2086
			$CLANG $way $WARN -I"$TOP/sdk/include" -nostdlib -static \
				programs/freestanding.c -o "$T/program" &&
				qemu-aarch64 "$T/program" | grep -vx fine
			notes "$T/program"
			readelf -nW "$T/program" | grep -c 'Name: [sla]' | grep -vx 3
			readelf -nW "$T/program" | grep 'Arguments: -4@x0 8@\[sp\]$' >/dev/null ||
				echo "no note of assembly"
		} >"$T/log" 2>&1
		result "aarch64: without a library: $way" "$T/log"
	done
}

# drti in programs of each kind: what it registers, and that it is silent where there is no module.
aarch64_drti()
{
	object=$BUILD/drti/aarch64/drti.o
	if [ ! -e "$object" ]; then
		skip "aarch64: drti" "it was not built: no cross tools then"
		return
	fi
	while read -r flags <&3; do
		expect_program 64
		# shellcheck disable=SC2086
		$CLANG $flags -w $INCLUDE -I"$TOP/include" programs/registered.c "$object" "$object" \
			-ldl -o "$T/program" >"$T/out" 2>&1 &&
			DTRACE_DOF_INIT_DEVNAME=/dev/null machine aarch64 "$T/program" >"$T/out" 2>&1
		compare "aarch64: drti: $flags"
	done 3<<-END
		-O2
		-O2 -static
		-O2 -static-pie -fPIE
		-O2 -ffunction-sections -Wl,--gc-sections
	END
	echo "main, errno 0" >"$T/expected"
	machine aarch64 "$T/program" >"$T/out" 2>&1
	compare "aarch64: drti: silent without the device"
	printf 'dtrace: cannot open %s2\nmain, errno 0\n' "/nonexistent: errno " >"$T/expected"
	DTRACE_DOF_INIT_DEBUG=1 DTRACE_DOF_INIT_DEVNAME=/nonexistent machine aarch64 "$T/program" \
		>"$T/out" 2>&1
	compare "aarch64: drti: DTRACE_DOF_INIT_DEBUG says why"
	aarch64_declared
	aarch64_runtime
}

# Probes made at run time: their code is run, and described to a module.
aarch64_runtime()
{
	# shellcheck disable=SC2086
	$CLANG -O2 -static $WARN -D_GNU_SOURCE $INCLUDE -I"$TOP/include" -I"$TOP/drti" \
		programs/runtime.c "$TOP"/probes/probes.c "$TOP"/probes/memory_file.c "$TOP"/probes/slab.c \
		"$TOP"/probes/site_aarch64.c "$TOP"/drti/registrar.c "$TOP"/drti/say.c "$TOP"/drti/dofbuild.c "$TOP"/drti/function.c \
		"$TOP"/drti/operand_text.c "$TOP"/drti/operand_aarch64.c -o "$T/program" \
		>"$T/out" 2>&1 &&
		DTRACE_DOF_INIT_DEVNAME=/dev/null machine aarch64 "$T/program" >"$T/out" 2>&1
	echo "not registered" >"$T/expected"
	compare "aarch64: probes at run time"
}

# Declarations of dtrace -G, joined with the sites.
aarch64_declared()
{
	cat >"$T/expected" <<-END
	add 0, module "", 64 bits
	  registered:end 2 arguments native int, char ** args char ** from 1, int from 0
	  registered:begin 0 arguments
	main, errno 0
	END
	{
		dtrace -G -x machine=aarch64 -s programs/registered.d -o "$T/declared.o" &&
		# shellcheck disable=SC2086
		$CLANG -O2 $INCLUDE -I"$TOP/include" programs/registered.c "$T/declared.o" \
			-o "$T/declared" &&
		DTRACE_DOF_INIT_DEVNAME=/dev/null machine aarch64 "$T/declared"
	} >"$T/out" 2>&1
	compare "aarch64: drti: declarations of dtrace -G"
}
