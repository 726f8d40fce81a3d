#!/usr/bin/env bash
# Puts the papers of a release into a folder: what a player needs. `tests/release/papers.sh FOLDER [windows]`.
#
#   README.md            docs/players.md
#   levels.md, uci.md, troubleshooting.md, CHANGELOG.md, LICENSE
#
# They lie side by side, so links among them lead somewhere; a link to any other page becomes text that says where
# it is. For Windows lines end with CR and LF, also those of texts that are in the folder before, and LICENSE gets
# the ending .txt. `tests/links.rs` checks the result.
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/../.."
system=${2:-}
mkdir -p "$folder"
cp docs/levels.md docs/uci.md docs/troubleshooting.md CHANGELOG.md LICENSE "$folder"
cp docs/players.md "$folder/README.md"
for page in "$folder"/*.md; do
    # The target of each link to a page, without the place in it.
    { grep -oE '\]\([^):]+' "$page" || true; } | sed 's/^](//; s/#.*//' | sort -u | while read -r target; do
        name=${target##*/}
        if [ "$target" = players.md ]; then
            sed -i 's/](players\.md/](README.md/g' "$page"
        elif [ -n "$target" ] && [ ! -f "$folder/$name" ]; then
            sed -i -E "s:\[([^]]*)\]\(${target//./\\.}(#[^)]*)?\):\1 (docs/$name in the source):g" "$page"
        fi
    done
done
if [ "$system" = windows ]; then
    mv "$folder/LICENSE" "$folder/LICENSE.txt"
    sed -i 's/\r*$/\r/' "$folder"/*.md "$folder"/*.txt
fi
