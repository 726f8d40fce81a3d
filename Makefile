# Builds the engine under the name that testing frameworks ask for: `make EXE=name` (OpenBench).

EXE ?= quillon
ifeq ($(OS),Windows_NT)
ifeq ($(suffix $(EXE)),)
override EXE := $(EXE).exe
endif
endif

.PHONY: all clean

all:
	cargo rustc --release --bin quillon -- --emit link=$(EXE)

clean:
	cargo clean
