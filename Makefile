# Builds the engine under the name that testing frameworks ask for: `make EXE=name` (OpenBench).
#
#   make            the native program
#   make pgo        the same, optimised with a profile of its own bench
#                   both: EVALFILE=file.nnue builds another network in, TUNING=1 makes the parameters of the search
#                   UCI options (docs/openbench.md)
#   make release    dist/: one archive per system (tests/release/build.sh tells what that needs)
#   make check      runs the programs in dist/, also under wine and qemu

EXE ?= quillon
ifeq ($(OS),Windows_NT)
ifneq ($(suffix $(EXE)),.exe)
override EXE := $(EXE).exe
endif
endif

# Both may also come from the environment.
EVALFILE ?=
TUNING ?=
FEATURES := $(if $(filter-out 0 no,$(TUNING)),--features tuning)
ifneq ($(EVALFILE),)
export QUILLON_EVALFILE := $(EVALFILE)
endif

.PHONY: all pgo release check clean

# The program loads its network as a test. What the build has not noticed, the program does.
all:
	cargo rustc --release --bin quillon $(FEATURES) -- --emit link=$(EXE)
	@PATH=".:$$PATH" "$(EXE)" eval >/dev/null || { rm -f "$(EXE)"; exit 1; }

pgo:
	tests/release/pgo.sh $(EXE) $(FEATURES)

release:
	tests/release/build.sh

check:
	cargo build --release
	tests/release/check.sh

clean:
	cargo clean
	rm -rf dist
	rm -f "$(EXE)"
