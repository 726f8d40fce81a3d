#!/usr/bin/env bash
# Builds the engine for this machine with a profile of its own bench: `make pgo` or
# `tests/release/pgo.sh [FILE [CARGO-ARGUMENTS...]]`.
# The play is that of the plain build, a tenth faster. Where no profile can be had it builds plainly.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/release/tools.sh
. tests/release/tools.sh

exe=${1:-quillon}
shift || true
host=$(rustc -vV | sed -n 's/^host: //p')
work=$(absolute "${CARGO_TARGET_DIR:-target}")/pgo
# shellcheck disable=SC2206 # RUSTFLAGS is a list of words.
flags=(${RUSTFLAGS:--Ctarget-cpu=native})

if ! find_profdata >/dev/null; then
    echo "There is no llvm-profdata for this compiler, so this is a build without a profile, about a tenth" >&2
    echo "slower. To get it: rustup component add llvm-tools" >&2
elif profile=$(collect_profile "$(encode "${flags[@]}")" "$@"); then
    flags+=("-Cprofile-use=$profile")
else
    echo "No profile came about (see above), so this is a build without one, about a tenth slower." >&2
fi
# Profiles are for the program alone: with --target, build scripts are left out.
CARGO_ENCODED_RUSTFLAGS=$(encode "${flags[@]}") cargo build --locked --release --bin quillon \
    --target "$host" --target-dir "$work/final" "$@"
program=$work/final/$host/release/quillon
[ -f "$program" ] || program+=.exe
cp "$program" "$exe"
echo "$exe is ready"
