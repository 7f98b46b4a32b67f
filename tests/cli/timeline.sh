#!/usr/bin/env bash
# report --time against a golden file, and what verify and readers say of a damaged one.
source "$(dirname "$0")/setup.sh"
cd "$D"
"$MAKE_TIMELINE" t.h5
"$WARPSWEEP" report t.h5 --time >out || fail "report --time: exit $?"
[[ -z ${WRITE_GOLDEN:-} ]] || cp out "$HERE/golden/time.md"
diff -u "$HERE/golden/time.md" out || fail "report --time differs from time.md"
"$WARPSWEEP" status --verify t.h5 >out || fail "verify: $(<out)"
grep -q '/timeline *13 rows *checksum ok' out || fail "verify does not tell of the timeline: $(<out)"

# A file of an earlier release has none: the report says so.
status=0
"$WARPSWEEP" report "$SOURCE/tests/release-0.1-h200-copy.h5" --time >out || status=$?
[[ $status == 0 ]] && grep -q 'has no timeline' out || fail "a file without a timeline: exit $status, $(<out)"

# A damaged timeline costs the timeline, not the file: verify says so, other commands go on without it.
damaged() { # damaged KIND TEXT
    local status=0
    "$MAKE_TIMELINE" "$1.h5" "$1"
    "$WARPSWEEP" status --verify "$1.h5" >out 2>&1 || status=$?
    [[ $status == 1 ]] && grep -qF "$2" out || fail "verify of $1: exit $status, $(<out)"
    "$WARPSWEEP" table "$1.h5" >out 2>&1 || fail "table of $1: exit $?, $(<out)"
    "$WARPSWEEP" report "$1.h5" --time >out || fail "report --time of $1: exit $?"
    grep -qF "The timeline of $1.h5 is left out: ${2%% of*} of /timeline" out && ! grep -q 'By phase' out || fail "report --time of $1: $(<out)"
}
damaged backwards 'row 13 of /timeline is not a span of time of a rank'
damaged device 'row 13 of /timeline names device 7; /devices has 1'

# Spans that overlap are no damage of the file, but cannot be added up.
"$MAKE_TIMELINE" overlap.h5 overlap
"$WARPSWEEP" report overlap.h5 --time >out || fail "report --time of overlap: exit $?"
grep -qF "The timeline of overlap.h5 is left out: row 13 of /timeline" out || fail "report --time of overlap: $(<out)"

# merge: the spans of each file's runs, once.
"$WARPSWEEP" merge t.h5 t.h5 -o twice.h5 >out || fail "merge: $(<out)"
"$WARPSWEEP" status --verify twice.h5 | has '/timeline *13 rows' || fail "a copy's spans are there twice"
