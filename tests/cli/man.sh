#!/usr/bin/env bash
# The man pages: one a command, as the tables have it, and nothing that a formatter complains of.
source "$(dirname "$0")/setup.sh"
cd "$D"
man=$BUILD/man
"$WARPSWEEP" __man pages >pages
while read -r name; do
    page=$man/man1/warpsweep-$name.1
    [[ -s $page ]] || fail "no page of $name"
    sed 's/\\-/-/g' "$page" | grep '^\.B ' >there
    "$WARPSWEEP" "$name" --help | sed -n '/^Options:/,/^Examples:/p' | grep -Eo -- '--[a-z][a-z-]* ' | sort -u >options
    [[ -s options ]] || fail "$name has no options in its help"
    while read -r option; do
        grep -qE -- "$option( |\$)" there || fail "the page of $name does not tell of $option"
    done <options
done <pages
sed 's/\\-/-/g' "$man/man5/warpsweep-results.5" >results
for column in time_median fraction_peak load_sectors_per_request peak_l2_read; do
    grep -q "^\.B $column" results || fail "warpsweep-results(5) does not tell of $column"
done
for word in 'stride' 'only' 'max_time' 'cub_transform'; do
    grep -q "$word" "$man/man5/warpsweep-job.5" || fail "warpsweep-job(5) does not tell of $word"
done
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
# A page does not hang on the day: a build can be repeated.
SOURCE_DATE_EPOCH=0 "$WARPSWEEP" __man run >dated
[[ $(head -n 1 dated) == *1970-01-01* ]] || fail "SOURCE_DATE_EPOCH"
[[ $("$WARPSWEEP" __man nonsense 2>&1 || true) == *'expected a command'* ]] || fail "a page that there is not"
((checked)) || { echo "skipped: neither mandoc nor groff is here"; exit 77; }
