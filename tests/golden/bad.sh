#!/bin/sh
# bad.sh DUMP_GRID [--update]: job files that are refused: blocks of bad.txt below the message that each gets (=== FILE:LINE:COLUMN: TEXT),
# and those that are no plain text in bad/. With --update the messages are written instead; read the diff before you commit it.
set -u
here=$(dirname "$(realpath "$0")")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cp "$here"/bad/* "$folder"
awk -v folder="$folder" '/^=== / { sub(/^=== /, ""); name = substr($0, 1, index($0, ".yaml") - 1)
        print $0 "\nexit 2" > (folder "/" name ".expected"); close(file); file = folder "/" name ".yaml"; printf "" > file; next }
    { print > file }' "$here/bad.txt"
"$here/golden.sh" "$1" "$folder" "${2:-}" || exit 1
if [ "${2:-}" = --update ]; then
    sed -n 's/^=== \(.*\)\.yaml:.*/\1/p' "$here/bad.txt" | while read -r name; do
        echo "=== $(sed -n 1p "$folder/$name.expected")" && cat "$folder/$name.yaml"
    done > "$folder/bad.txt"
    cp "$folder/bad.txt" "$here/bad.txt"
fi
