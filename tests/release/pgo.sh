#!/usr/bin/env bash
# Builds the engine for this machine with a profile of its own bench: `make pgo` or `tests/release/pgo.sh [FILE]`.
# The play is that of the plain build, a tenth faster. Without a tool that reads profiles it builds plainly.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/release/tools.sh
. tests/release/tools.sh

exe=${1:-quillon}
host=$(rustc -vV | sed -n 's/^host: //p')
work=$(realpath -m "${CARGO_TARGET_DIR:-target}")/pgo
flags=${RUSTFLAGS:--Ctarget-cpu=native}

if find_profdata >/dev/null; then
    profile=$(collect_profile "$flags")
    flags="$flags -Cprofile-use=$profile"
else
    echo "There is no llvm-profdata for this compiler, so this is a build without a profile, about a tenth" >&2
    echo "slower. To get it: rustup component add llvm-tools" >&2
fi
# Profiles are for the program alone: with --target, build scripts are left out.
RUSTFLAGS=$flags cargo build --release --bin quillon --target "$host" --target-dir "$work/final"
cp "$work/final/$host/release/quillon" "$exe"
echo "$exe is ready"
