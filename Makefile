# Builds the engine under the name that testing frameworks ask for: `make EXE=name` (OpenBench).
#
#   make            the native program, for this machine's processor
#   make pgo        the same, optimised with a profile of its own bench
#   make release    dist/: one archive per system (tests/release/build.sh tells what that needs)
#   make check      runs the programs in dist/, also under wine and qemu

EXE ?= quillon
ifeq ($(OS),Windows_NT)
ifneq ($(suffix $(EXE)),.exe)
override EXE := $(EXE).exe
endif
endif

.PHONY: all pgo release check clean

all:
	cargo rustc --release --bin quillon -- --emit link=$(EXE)

pgo:
	tests/release/pgo.sh $(EXE)

release:
	tests/release/build.sh

check:
	cargo build --release
	tests/release/check.sh

clean:
	cargo clean
	rm -rf dist
	rm -f "$(EXE)"
