#!/bin/sh
# skips.sh LOG: each test that CTest's output LOG calls skipped is one that tests/skips.txt allows; says which are not, and ends with 1.
allowed=$(sed -n 's/^\([^# ][^ ]*\) .*/\1/p' "$(dirname "$0")/skips.txt" | paste -sd '|')
if skipped=$(sed -n 's/^ *[0-9]*\/[0-9]* Test *#[0-9]*: \([^ ]*\) \.*\*\*\*Skipped.*/\1/p' "$1" | grep -vxE "$allowed"); then
    printf 'skipped, and tests/skips.txt does not allow it: %s\n' $skipped >&2
    exit 1
fi
