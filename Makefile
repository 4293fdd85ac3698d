# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The front door; CMake and Ninja do the work.  Two commands matter:
#
#	make run	installs what is missing, builds, runs the matrix on soft0
#	make check	the same set-up, and all tests
#
# The rest: make (builds into build/), check-programs, check-vm, check-interop,
# install, format, lint, fuzz-smoke, clean.

PROGRAMS = verbatim softrdma
# Arguments of make run: make run ARGS='rnr --seed 7'
ARGS =

# Steps depend on each other; ninja runs the compilers in parallel.
.NOTPARALLEL:
.PHONY: all setup run check check-programs check-vm check-interop install format lint fuzz-smoke clean

all: setup
	@cmake --preset release >build.log 2>&1 || { cat build.log; exit 1; }
	@rm -f build.log
	@cmake --build --preset release --target $(PROGRAMS)

setup:
	@tools/setup build

run: all
	build/verbatim run -d soft0 $(ARGS)

check:
	@tools/check

check-programs:
	@tools/check programs-asan

check-vm: all
	@tests/vm/check build

check-interop: all
	@tools/setup build test
	@cmake --build --preset release --target depot
	@tests/vm/interop build

install: all
	cmake --install build

format:
	@tools/setup build test
	tools/format

lint: all
	@tools/setup build test
	tools/lint --build build
	tools/format --check

fuzz-smoke:
	@tools/setup build test fuzz
	@tools/fuzz-smoke

clean:
	rm -rf build build-dev build-asan build-tsan build-fuzz
