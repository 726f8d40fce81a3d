#!/usr/bin/env bash
# Runs the programs in dist/ where they are meant to run, or as near to it as this machine can come: the
# Windows one under wine, the one for aarch64 under qemu, the one for x86-64 also on an emulated processor
# from before AVX2. All must give the bench signature of the program for this machine.
#
#   tests/release/check.sh [PROGRAM]      PROGRAM is a native build (target/release/quillon)
#
# What a missing tool keeps from being checked is said at the end.
set -uo pipefail
# The last command of a pipe runs in this shell, so that it can count.
shopt -s lastpipe
cd "$(dirname "$0")/../.."

native=${1:-${CARGO_TARGET_DIR:-target}/release/quillon}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
depth=9
passed=0 failed=0 skipped=()
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A program that dies while it is spoken to is a failed check, not the end of this script.
trap '' PIPE
# Names of folders as users have them.
folder="$work/Gänse und Žluťoučký kůň"
mkdir "$folder"
export WINEDEBUG=${WINEDEBUG:--all} LC_ALL=C.UTF-8

# expect NAME PATTERN: whether the text on standard input has a line that matches the whole pattern.
expect() {
    local text
    text=$(tr -d '\r')
    if grep -Eqx -e "$2" <<<"$text"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED  %s: %s: no line like %s in\n' "$system" "$1" "$2"
        tail -n 5 <<<"$text" | sed 's/^/        /'
    fi
}

# absent NAME PATTERN: the opposite.
absent() {
    local text
    text=$(tr -d '\r')
    if [ -n "$text" ] && ! grep -Eq -e "$2" <<<"$text"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED  %s: %s: nothing, or a line like %s in\n' "$system" "$1" "$2"
        grep -E -e "$2" <<<"$text" | head -n 5 | sed 's/^/        /'
    fi
}

run() { timeout 300 "${command[@]}" "$@"; }

# converse LOG STEP...: a conversation with the program. A step is a line to send, or `<` and how the line begins
# that has to come before the next step. Lines end as on Windows.
converse() {
    local log=$1 step line from to pid
    shift
    : >"$log"
    coproc timeout 300 "${command[@]}"
    pid=$COPROC_PID
    exec {from}<&"${COPROC[0]}" {to}>&"${COPROC[1]}"
    for step in "$@" quit; do
        if [ "${step:0:1}" != "<" ]; then
            printf '%s\r\n' "$step" >&"$to" 2>/dev/null
            continue
        fi
        while IFS= read -r -t 120 -u "$from" line; do
            printf '%s\n' "${line%$'\r'}" >>"$log"
            [[ $line != "${step:1}"* ]] || break
        done
    done
    exec {to}>&-
    cat <&"$from" >>"$log"
    exec {from}<&-
    wait "$pid"
    expect "quits in peace" 0 <<<$?
}

# check SYSTEM COMMAND...: all checks of one program.
check() {
    local before=$failed found line in
    system=$1
    shift
    command=("$@")
    run --version | expect "version" "quillon ${version//./\\.}"
    run selftest | expect "selftest" "[0-9]+ passed, 0 failed"
    run perft 5 | expect "perft" ".*\b4865609\b.*"
    run perft-suite perft-suites/chess960.epd --max-nodes 5000 | expect "perft suite" "[1-9][0-9]* passed, 0 failed"
    found=$(run bench $depth | tr -d '\r' | tail -n 1)
    expect "signature" "$signature" <<<"${found%% *}"
    converse "$work/talk" uci "<uciok" isready "<readyok" ucinewgame "position startpos moves e2e4" "go depth 6" \
        "<bestmove" "setoption name Threads value 2" "go movetime 100" "<bestmove"
    for line in "id name Quillon ${version//./\\.}" uciok readyok "info depth 6 .*" "bestmove [a-h][1-8].*"; do
        expect "conversation" "$line" <"$work/talk"
    done
    grep -c '^bestmove' "$work/talk" | expect "two answers" 2
    cp src/nnue/default.nnue "$folder/own net.nnue"
    # One move, a2a3, in the initial position (Polyglot's key 463b96181691fc9c).
    printf '\x46\x3b\x96\x18\x16\x91\xfc\x9c\x02\x10\x00\x01\x00\x00\x00\x00' >"$folder/book.bin"
    cp tests/data/syzygy/KQvK.rtb? "$folder"
    rm -f "$folder/log.txt"
    in=$folder
    [ "${system%%-*}" = windows ] && in="Z:${folder//\//\\}"
    converse "$work/files" uci "setoption name EvalFile value $in/own net.nnue" \
        "setoption name BookFile value $in/book.bin" "setoption name OwnBook value true" \
        "setoption name SyzygyPath value $in" "setoption name Debug Log File value $in/log.txt" \
        isready "<readyok" "position startpos" "go movetime 100" "<bestmove"
    absent "files with foreign names" "cannot|not found|No such" <"$work/files"
    expect "network in a file" "info string network .*" <"$work/files"
    expect "endgame tables" "info string Syzygy: 1 WDL and 1 DTZ .*" <"$work/files"
    expect "book" "bestmove a2a3.*" <"$work/files"
    cat "$folder/log.txt" 2>/dev/null | expect "log" ".*bestmove a2a3.*"
    # Old Windows programs write one byte a letter, here ä as \xe4.
    if [ "${system%%-*}" = windows ]; then
        cp "$folder/own net.nnue" "$work/Gänse.nnue"
        converse "$work/files" "setoption name EvalFile value Z:$work/G"$'\xe4'"nse.nnue" isready "<readyok"
        expect "letters of a code page" "info string network .*" <"$work/files"
    fi
    # The end of the input ends the program, also while it thinks.
    printf 'go infinite\n' | timeout 20 "${command[@]}" >"$work/end"
    expect "end of input" 0 <<<$?
    [ "$failed" -eq "$before" ] && echo "passed  $system: ${command[*]}"
}

# skip SYSTEM WHY
skip() { skipped+=("$1: $2"); }

if [ ! -x "$native" ]; then
    echo "there is no $native; build it first: cargo build --release" >&2
    exit 1
fi
signature=$("$native" bench $depth | tail -n 1)
signature=${signature%% *}
echo "signature at depth $depth: $signature"
check native "$native"

# unpack SYSTEM FILE: unpacks a system's archive into the folder with foreign letters, sets `program`
# and `system`, and compares the checksum. False if there is no archive.
unpack() {
    local name=quillon-$version-$1 archive
    program="$folder/$name/$2"
    for archive in "dist/$name".{tar.gz,zip}; do
        [ -f "$archive" ] || continue
        system=$1
        (cd dist && sha256sum --ignore-missing --quiet -c SHA256SUMS >&2 && grep -q " ${archive#dist/}\$" SHA256SUMS)
        expect "checksum" 0 <<<$?
        case $archive in
            *.zip) if command -v unzip >/dev/null; then unzip -q "$archive" -d "$folder"; else python3 -m zipfile -e "$archive" "$folder"; fi ;;
            *) tar -xzf "$archive" -C "$folder" ;;
        esac
        return 0
    done
    skip "$1" "not in dist/"
    return 1
}

# needs_nothing PATTERN: the program asks for no library of the system but those that the pattern matches.
needs_nothing() {
    local headers
    if ! headers=$(objdump -p "$program" 2>/dev/null); then
        skip "$system" "no objdump that reads it, so its libraries were not looked at"
        return
    fi
    sed -n 's/^ *NEEDED  *\|^.*DLL Name: //p' <<<"$headers" | grep -Evix -e "$1" | wc -l |
        expect "libraries" 0
}

if unpack linux-x86_64 quillon; then
    needs_nothing 'none'
    check linux-x86_64 "$program"
    if command -v qemu-x86_64 >/dev/null; then
        # A processor of 2003, with no more than every x86-64 has.
        check linux-x86_64-emulated qemu-x86_64 -cpu qemu64 "$program"
    else
        skip linux-x86_64 "no qemu-x86_64 (Debian: qemu-user), so not seen on an old processor"
    fi
fi

if ! unpack windows-x86_64 quillon.exe; then
    :
elif command -v wine >/dev/null; then
    needs_nothing '(kernel32|ntdll|advapi32|msvcrt|ws2_32|userenv|bcrypt)\.dll|api-ms-win-.*'
    wine wineboot >/dev/null 2>&1
    check windows-x86_64 wine "$program"
else
    skip windows-x86_64 "no wine (Debian: wine, wine64)"
fi

if ! unpack linux-aarch64 quillon; then
    :
elif command -v qemu-aarch64 >/dev/null; then
    check linux-aarch64 qemu-aarch64 "$program"
else
    skip linux-aarch64 "no qemu-aarch64 (Debian: qemu-user)"
fi

for line in "${skipped[@]}"; do
    echo "skipped $line"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
