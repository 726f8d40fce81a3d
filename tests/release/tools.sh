# Shared by the scripts of this folder; to be sourced from the repository root.

# Where the LLVM tool is that turns raw profiles into what this compiler reads; fails where there is none.
# The component `llvm-tools` of rustup brings it, or Debian's llvm-NN with the compiler's own LLVM version.
find_profdata() {
    local rustc=${1:-rustc} host version candidate
    host=$("$rustc" -vV | sed -n 's/^host: //p')
    version=$("$rustc" -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
    for candidate in "${LLVM_PROFDATA:-}" "$("$rustc" --print sysroot)/lib/rustlib/$host/bin/llvm-profdata" \
        "llvm-profdata-$version" llvm-profdata; do
        if [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}

# collect_profile FLAGS CARGO-ARGUMENTS...: builds an instrumented program with these compiler flags, lets it
# run the bench, and prints the path of the profile. The caller sets $host, the target, and $work, a folder.
collect_profile() {
    local flags=$1 profdata
    shift
    profdata=$(find_profdata) || return
    rm -rf "$work/profiles"
    RUSTFLAGS="$flags -Cprofile-generate=$work/profiles" cargo build --release --bin quillon \
        --target "$host" --target-dir "$work/instrumented" "$@" >&2 || return
    "$work/instrumented/$host/release/quillon" bench >&2 || return
    "$profdata" merge -o "$work/quillon.profdata" "$work"/profiles/*.profraw || return
    printf '%s\n' "$work/quillon.profdata"
}
