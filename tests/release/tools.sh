# Shared by the scripts of this folder; to be sourced from the repository root.

# absolute FOLDER: its absolute path; the folder is made if need be.
absolute() { mkdir -p "$1" && (cd "$1" && pwd); }

# encode FLAG...: compiler flags as CARGO_ENCODED_RUSTFLAGS wants them, so that paths may hold blanks.
encode() {
    local IFS=$'\x1f'
    printf '%s' "$*"
}

# Where the LLVM tool is that turns raw profiles into what this compiler reads; fails where there is none.
# Only one of the compiler's own LLVM version will do: the component `llvm-tools` of rustup, or Debian's llvm-NN.
find_profdata() {
    local rustc=${1:-rustc} host version candidate
    host=$("$rustc" -vV | sed -n 's/^host: //p')
    version=$("$rustc" -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
    for candidate in "${LLVM_PROFDATA:-}" "$("$rustc" --print sysroot)/lib/rustlib/$host/bin/llvm-profdata" \
        "llvm-profdata-$version" llvm-profdata; do
        if [ -n "$candidate" ] && "$candidate" --version 2>/dev/null | grep "LLVM version $version\." >/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}

# collect_profile FLAGS CARGO-ARGUMENTS...: builds an instrumented program with these (encoded) compiler flags,
# lets it run the bench, and prints the path of the profile. The caller sets $host, the target, and $work, a
# folder. The bench runs once for each vector unit of this processor, lest the program be made small rather
# than fast for all others.
collect_profile() {
    local flags=$1 profdata program kernels
    shift
    profdata=$(find_profdata) || return
    rm -rf "$work/profiles"
    CARGO_ENCODED_RUSTFLAGS="$flags"$'\x1f'"-Cprofile-generate=$work/profiles" cargo build --locked --release \
        --bin quillon --target "$host" --target-dir "$work/instrumented" "$@" >&2 || return
    program=$work/instrumented/$host/release/quillon
    "$program" bench >&2 || return
    for kernels in avx2 neon scalar; do
        "$program" bench --kernels $kernels >/dev/null 2>&1 || echo "no profile of $kernels, which this processor lacks" >&2
    done
    "$profdata" merge -o "$work/quillon.profdata" "$work"/profiles/*.profraw || return
    printf '%s\n' "$work/quillon.profdata"
}
