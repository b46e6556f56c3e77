# SPDX-License-Identifier: MIT
# The few commands most people need, over CMake (user land, SDK, tests) and Kbuild (the module).
#
#   make                 everything: user land, and dtrace.ko for the kernels in KERNELS
#   make demo            build, boot a small machine, and trace a program in it
#   make check           most tests; make check-quick: those that need no machine
#   make check-ci        what continuous integration runs: also attacks, slow cases, and a smoke of the debug kernel
#   make check-kernels   every test of the module on each kernel, where make check runs many on one of them
#   make check-release   packages, other tracers, tools/vm, fuzzers: for what make check has no time
#   make check-debug     every test of the module on the debug kernel: half an hour
#   make check-voluntary torture and attacks on the kernel that watches time and races (tools/debug-kernel voluntary)
#   make check-adopters  Perl, Python, PostgreSQL, Tcl with our probes, and their tests
#   make install         into DESTDIR/PREFIX, with the module's source for DKMS; needs no emulator and no other compiler
#   make bench           what probes cost
#   make kmod KERNELS=/lib/modules/$(uname -r)/build

PREFIX ?= /usr/local
DESTDIR ?=
KERNELS ?= 6.1 6.12
# (No abspath: a checkout's path may have blanks.)
BUILD := $(shell realpath -m -- "$(or $(DTRACE_BUILD),build)")
STAGE := $(BUILD)/stage
CMAKE ?= cmake
JOBS ?= $(shell nproc)

export override DTRACE_BUILD := $(BUILD)
export DTRACE_STAGE := $(STAGE)

CONFIGURE = $(CMAKE) -S . -G Ninja --log-level=WARNING
TESTED = -DDTRACE_TESTS=ON -DDTRACE_WERROR=ON

all: user kmod

bootstrap:
	@scripts/bootstrap

# Build what is installed, and no more: in a tree that `make stage` has not made no tests, and warnings are no errors.
user:
	@scripts/bootstrap build
	@$(CONFIGURE) -B "$(BUILD)" -DCMAKE_INSTALL_PREFIX="$(PREFIX)" >/dev/null
	$(CMAKE) --build "$(BUILD)" -j $(JOBS)

kmod:
	@scripts/bootstrap module
	tools/build-module $(KERNELS)

# The tree that tools/vm puts into its guests: what an installation in /usr/local would be.
stage: bootstrap
	@$(CONFIGURE) -B "$(BUILD)" -DCMAKE_INSTALL_PREFIX=/usr/local $(TESTED) >/dev/null
	$(CMAKE) --build "$(BUILD)" -j $(JOBS)
	@rm -rf "$(STAGE)"
	@DESTDIR="$(STAGE)" $(CMAKE) --install "$(BUILD)" >/dev/null

install: user
	DESTDIR="$(DESTDIR)" $(CMAKE) --install "$(BUILD)"

# The same sources once more with sanitisers, and the fuzz targets.
asan: bootstrap
	@$(CONFIGURE) -B "$(BUILD)/asan" $(TESTED) -DDTRACE_SANITIZE=ON >/dev/null
	$(CMAKE) --build "$(BUILD)/asan" -j $(JOBS)

fuzz: bootstrap
	@$(CONFIGURE) -B "$(BUILD)/fuzz" $(TESTED) -DDTRACE_SANITIZE=ON -DDTRACE_FUZZ=ON \
		-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ >/dev/null
	$(CMAKE) --build "$(BUILD)/fuzz" -j $(JOBS) --target test/fuzz/all

demo: stage
	scripts/demo

lint: bootstrap
	test/run lint

check-quick: stage asan
	test/run unit compile output completion elf door sdk install user

check: stage asan kmod
	test/run

check-ci: stage asan kmod
	test/run --times ci

check-kernels: stage kmod
	test/run --kernel 6.1 --kernel 6.12 kernel
	test/run --kernel user@6.1 --kernel user@6.12 user

check-release: stage asan kmod fuzz
	test/run release
	DTRACE_SANITIZED=1 test/run --kernel user user
	TOGGLES=1000000 test/userland/run patch/toggle/pie patch/five/pie patch/instructions/pie

check-debug: stage kmod
	test/run --kernel debug kernel

check-voluntary: stage kmod
	test/run --kernel voluntary test/torture test/attack

# Perl, Python, PostgreSQL and Tcl from Debian's sources, with our probes: a quarter of an hour.
check-adopters: stage kmod
	test/adopters/run

bench: stage kmod
	test/bench/run

clean:
	rm -rf "$(BUILD)"

.PHONY: all bootstrap user kmod stage install asan fuzz demo lint check-quick check check-ci check-kernels check-release check-debug check-voluntary check-adopters bench clean
