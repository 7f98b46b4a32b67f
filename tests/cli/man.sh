#!/usr/bin/env bash
# The man pages: one per command, with every option of its --help, and no complaint of a formatter.
source "$(dirname "$0")/setup.sh"
cd "$D"
# As the build makes them; and so that they can be made again.
SOURCE_DATE_EPOCH=0 "$SOURCE/cmake/manual.sh" "$WARPSWEEP" pages 2>errors
[[ ! -s errors ]] || ! command -v python3 >/dev/null || fail "$(cat errors)"
"$WARPSWEEP" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' >names
[[ $(wc -l <names) -ge 19 ]] || fail "commands: $(<names)"
[[ -s $BUILD/man/man1/warpsweep-run.1 ]] || fail "the build makes no pages"
for page in pages/warpsweep-*.1; do
    name=${page#pages/warpsweep-}
    [[ $(head -n 1 "$page") == *1970-01-01* ]] || fail "SOURCE_DATE_EPOCH: $page"
    sed 's/\\-/-/g' "$page" | grep '^\.B ' >there
    "$WARPSWEEP" "${name%.1}" --help | sed -n '/^Options:/,/^Examples:/s/^  ...,* *\(--[a-z-]*\).*/\1/p' >options
    [[ -s options ]] || fail "$name has no options in its help"
    while read -r option; do
        grep -qE -- "$option( |\$)" there || fail "$page does not have $option"
    done <options
done
while read -r name; do
    [[ -s pages/warpsweep-$name.1 ]] || grep -q "no man page of $name" errors || fail "no page of $name"
done <names
checked=0
for page in pages/*; do
    if command -v mandoc >/dev/null; then
        mandoc -T lint -W warning "$page" >lint || fail "mandoc: $(head -n 5 lint)"
        checked=1
    fi
    if command -v groff >/dev/null; then
        groff -man -ww -k -Tutf8 -z "$page" 2>lint || true
        [[ ! -s lint ]] || fail "groff: $(head -n 5 lint)"
        checked=1
    fi
done
((checked)) || { echo "skipped: neither mandoc nor groff is here"; exit 77; }
