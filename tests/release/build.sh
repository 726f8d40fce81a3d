#!/usr/bin/env bash
# Makes dist/: for each system an archive with one program that runs on every processor of its family, the
# source, and a list of checksums. `make release` makes all, `tests/release/build.sh SYSTEM...` some of linux-x86_64,
# windows-x86_64, linux-aarch64; archives of other systems stay in dist/.
#
# What a system needs and this machine lacks is named before anything is built. Without SYSTEM such a system is left
# out; one that was asked for by name ends the script.
#
# Rust's standard library for a system comes from `rustup target add`, or from Debian's packages:
#   linux-aarch64   gcc-aarch64-linux-gnu libc6-dev-arm64-cross, and with rustup the target
#                   aarch64-unknown-linux-gnu, or rustc-web cargo-web libstd-rust-web-dev:arm64; for the last of these
#                   Debian wants to know the foreign architecture: dpkg --add-architecture arm64 && apt-get update
#   windows-x86_64  gcc-mingw-w64-x86-64 rustc-web cargo-web rust-web-src; or, for a program that runs from Windows 10
#                   on only, the target x86_64-pc-windows-gnu of rustup in place of the last three
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/release/tools.sh
. tests/release/tools.sh

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
work=$(absolute "${CARGO_TARGET_DIR:-target}")/release-builds
crates=${CARGO_HOME:-$HOME/.cargo}/registry/src
host=x86_64-unknown-linux-gnu
library_source=/usr/lib/rustlib/src/rust/library/std

# No path of this machine goes into the programs; a linked-in C library needs none on the user's.
common=(-Ctarget-feature=+crt-static "--remap-path-prefix=$PWD=quillon" "--remap-path-prefix=$crates=crates")

# has_std RUSTC TARGET: whether the compiler has a standard library for the target.
has_std() {
    command -v "$1" >/dev/null && compgen -G "$("$1" --print target-libdir --target "$2" 2>/dev/null)/libstd-*" >/dev/null
}

# build TARGET FLAG...: builds with the compiler on the path, or with Debian's, and prints the program's path.
build() {
    local target=$1 cargo=cargo rustc=rustc options=() flags
    shift
    if ! has_std rustc "$target"; then
        cargo=/usr/bin/cargo rustc=/usr/bin/rustc
        if ! has_std $rustc "$target"; then
            [ -d "$library_source" ] || return 1
            options=(-Zbuild-std=std,panic_abort)
            export RUSTC_BOOTSTRAP=1
        fi
    fi
    flags=("${common[@]}" "$@" "--remap-path-prefix=$($rustc --print sysroot)/lib/rustlib/src/rust=rust")
    RUSTC=$(command -v $rustc) CARGO_ENCODED_RUSTFLAGS=$(encode "${flags[@]}") "$cargo" build --locked --release --bin quillon \
        --config profile.release.strip=true --target "$target" --target-dir "$work/$target" "${options[@]}" >&2 || return 1
    printf '%s\n' "$work/$target/$target/release/quillon"
}

# has_debian_rust: whether Debian's compiler and its cargo are there.
has_debian_rust() { [ -x /usr/bin/cargo ] && [ -x /usr/bin/rustc ]; }

# lacks SYSTEM: prints the Debian packages and other things that the system needs and this machine lacks, a line each.
lacks() {
    case $1 in
        linux-x86_64)
            has_std rustc $host || echo "rustup target add $host"
            ;;
        linux-aarch64)
            local target=aarch64-unknown-linux-gnu
            command -v aarch64-linux-gnu-gcc >/dev/null || echo "apt-get install gcc-aarch64-linux-gnu"
            [ -e /usr/aarch64-linux-gnu/lib/libc.a ] || echo "apt-get install libc6-dev-arm64-cross"
            if ! has_std rustc $target && ! { has_debian_rust && has_std /usr/bin/rustc $target; }; then
                [ ! -x /usr/bin/dpkg ] || dpkg --print-foreign-architectures | grep -qx arm64 ||
                    echo "dpkg --add-architecture arm64 && apt-get update"
                echo "apt-get install rustc-web cargo-web libstd-rust-web-dev:arm64 (or: rustup target add $target)"
            fi
            ;;
        windows-x86_64)
            local target=x86_64-pc-windows-gnu
            command -v x86_64-w64-mingw32-gcc >/dev/null || echo "apt-get install gcc-mingw-w64-x86-64"
            if ! { has_debian_rust && [ -d "$library_source" ]; } && ! has_std rustc $target; then
                echo "apt-get install rustc-web cargo-web rust-web-src (or: rustup target add $target)"
            fi
            ;;
        *) return 1 ;;
    esac
}

linux_x86_64() {
    local flags=(-Ctarget-cpu=x86-64) profile
    if profile=$(collect_profile "$(encode "${common[@]}" "${flags[@]}")" --config profile.release.strip=true); then
        flags+=("-Cprofile-use=$profile")
    else
        note "linux-x86_64: built without a profile, so about a tenth slower; no llvm-profdata, or see above"
    fi
    build $host "${flags[@]}"
}

linux_aarch64() {
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
        build aarch64-unknown-linux-gnu -Ctarget-cpu=generic
}

# The target named win7 makes programs that run from Windows 7 on; rustup has no library for it, so without
# the library's source it is the one for Windows 10 and later.
windows_x86_64() {
    local target=x86_64-win7-windows-gnu program
    if ! { has_debian_rust && [ -d "$library_source" ]; }; then
        target=x86_64-pc-windows-gnu
        note "windows-x86_64: for Windows 10 and later only, since there is no source of the standard library"
    fi
    export CARGO_TARGET_X86_64_WIN7_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc
    program=$(build $target -Ctarget-cpu=x86-64) || return
    printf '%s.exe\n' "$program"
}

# notices: the licences of all crates that go into a program.
notices() {
    local name version licence file
    echo "Quillon contains the following crates, and the standard library of Rust (MIT or Apache 2.0,"
    echo "https://www.rust-lang.org/policies/licenses)."
    cargo tree --locked --edges normal --target all --prefix none --format '{p} {l}' |
        sed 's/ (\*)$//' | sort -u | while read -r name version licence; do
            [ "$name" != quillon ] || continue
            printf '\n======== %s %s: %s\n\n' "$name" "$version" "$licence"
            for file in "$crates"/*/"$name-${version#v}"/{LICENSE-MIT,license-mit,LICENSE,COPYING,LICENSE-APACHE}*; do
                [ -f "$file" ] && cat "$file" && break
            done
        done
    # That the last crate has no file of its own is no failure.
    true
}

# note TEXT: something to say at the end; the steps run in subshells.
note() { printf '%s\n' "$*" >>"$work/notes"; }

# pack SYSTEM PROGRAM: an archive with a folder in it.
pack() {
    local system=$1 program=$2 folder=quillon-$version-$1 file path
    for path in "$PWD" "$work" "$crates" "$(rustc --print sysroot)" "${HOME:-/}"; do
        if [ "$path" != / ] && grep -aqF -e "$path/" "$program"; then
            echo "$program holds a path of this machine: $path" >&2
            return 1
        fi
    done
    mkdir -p "dist/$folder"
    cp "$program" "$work/THIRD-PARTY.txt" "dist/$folder"
    tests/release/papers.sh "dist/$folder" "${system%%-*}"
    (
        cd dist
        case $system in
            windows-*)
                file=$folder.zip
                if command -v zip >/dev/null; then zip -qr "$file" "$folder"; else python3 -m zipfile -c "$file" "$folder"; fi
                ;;
            *)
                file=$folder.tar.gz
                tar --sort=name --owner=0 --group=0 --numeric-owner -czf "$file" "$folder"
                ;;
        esac
        echo "$system: program of $(wc -c <"$folder/$(basename "$program")") bytes, $file of $(wc -c <"$file") bytes"
    )
}

all=(linux-x86_64 windows-x86_64 linux-aarch64)
wanted=("$@")
[ $# -gt 0 ] || wanted=("${all[@]}")
systems=() summary=() problems=0
for system in "${wanted[@]}"; do
    if ! needed=$(lacks "$system"); then
        echo "there is no system $system; there are ${all[*]}" >&2
        exit 2
    elif [ -n "$needed" ]; then
        printf '%s: this machine lacks what it needs:\n%s\n' "$system" "$(sed 's/^/    /' <<<"$needed")" >&2
        summary+=("$system: left out, see the first lines")
        problems=$((problems + $#))
    else
        systems+=("$system")
    fi
done
[ $problems -eq 0 ] || exit 1

mkdir -p dist "$work"
: >"$work/notes"
notices >"$work/THIRD-PARTY.txt"
made=0
for system in "${systems[@]}"; do
    rm -rf "dist/quillon-$version-$system"{,.zip,.tar.gz}
    # The test of a step's status turns `set -e` off within it, so the steps look after themselves.
    if program=$("${system//-/_}") && line=$(pack "$system" "$program"); then
        summary+=("$line")
        made=$((made + 1))
    else
        summary+=("$system: FAILED")
        problems=$((problems + 1))
    fi
done
if git archive --prefix="quillon-$version-source/" -o "dist/quillon-$version-source.tar.gz" HEAD; then
    [ -z "$(git status --porcelain)" ] || note "the source is that of the last commit, without the changes since"
else
    note "no archive of the source, since this is no checkout"
fi
grep -q "^## $version - not yet released" CHANGELOG.md && note "CHANGELOG.md says that $version is not yet released"
printf '\n'
printf '%s\n' "${summary[@]}"
cat "$work/notes"
[ $made -gt 0 ] || exit 1
cd dist
find . -maxdepth 1 -type f -name "quillon-$version-*" -printf '%f\n' | sort | xargs sha256sum | tee SHA256SUMS
[ $problems -eq 0 ]
