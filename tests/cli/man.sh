#!/usr/bin/env bash
# The man pages: one per command, with every option of its --help, and no complaint of a formatter.
source "$(dirname "$0")/setup.sh"
cd "$D"
man=$BUILD/man
"$WARPSWEEP" __man pages >pages
[[ $(wc -l <pages) -ge 9 ]] || fail "commands: $(<pages)"
while read -r name; do
    page=$man/man1/warpsweep-$name.1
    [[ -s $page ]] || fail "no page of $name"
    sed 's/\\-/-/g' "$page" | grep '^\.B ' >there
    "$WARPSWEEP" "$name" --help | sed -n '/^Options:/,/^Examples:/p' | grep -Eo -- '--[a-z][a-z-]* ' | sort -u >options
    [[ -s options ]] || fail "$name has no options in its help"
    while read -r option; do
        grep -qE -- "$option( |\$)" there || fail "the page of $name does not have $option"
    done <options
done <pages
checked=0
for page in "$man"/man?/*; do
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
# SOURCE_DATE_EPOCH makes builds reproducible.
SOURCE_DATE_EPOCH=0 "$WARPSWEEP" __man run >dated
[[ $(head -n 1 dated) == *1970-01-01* ]] || fail "SOURCE_DATE_EPOCH"
[[ $("$WARPSWEEP" __man nonsense 2>&1 || true) == *'expected warpsweep, the name of a command'* ]] || fail "an unknown page"
((checked)) || { echo "skipped: neither mandoc nor groff is here"; exit 77; }
