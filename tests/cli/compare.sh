#!/usr/bin/env bash
# compare: golden files; verdicts on synthetic times of known truth; what is assumed, refused, and the exit codes.
# WRITE_GOLDEN=1 writes the golden files anew, to be looked at before they are committed.
source "$(dirname "$0")/setup.sh"
cd "$D"
golden() { # golden NAME.FORMAT ARGUMENT...
    local golden=$HERE/golden/$1
    shift
    "$WARPSWEEP" compare "$@" >out 2>errors || fail "compare $*: exit $?: $(<errors)"
    if [[ $golden == *.tsv ]]; then # to 12 digits: the last ones of logarithms are the processor's
        awk -F'\t' -v OFS='\t' '{ for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+[0-9.e-]*$/) $i = sprintf("%.12g", $i); print }' out >rounded
        mv rounded out
    fi
    [[ -z ${WRITE_GOLDEN:-} ]] || cp out "$golden"
    diff -u "$golden" out || fail "compare $* differs from $golden"
}
code() { # code EXIT TEXT ARGUMENT...: exits so, and says the text
    local wanted=$1 text=$2 status=0
    shift 2
    "$WARPSWEEP" compare "$@" >out 2>&1 || status=$?
    [[ $status == "$wanted" ]] || fail "compare $*: exit $status, not $wanted: $(<out)"
    tr '\n' ' ' <out | sed 's/  */ /g' | has -F -- "$text" || fail "compare $* does not say '$text': $(<out)"
}
says_not() { ! tr '\n' ' ' <out | sed 's/  */ /g' | has -F -- "$1" || fail "it says '$1': $(<out)"; }
count() { # count VERDICT [FILE]: points so judged
    awk -F'\t' -v verdict="$1" '$NF == verdict' "${2:-out}" | wc -l
}

# ---- The tables: one process a file, points gone, new, failed and of another id.
"$MAKE_COUNTED" a.h5
"$MAKE_COUNTED" b.h5 second
golden compare.tsv a.h5 b.h5 --points -f tsv
grep -q 'one process measured 13 of 13 points' errors || fail "nothing on stderr about what is assumed: $(<errors)"
golden compare.txt a.h5 b.h5
golden compare_points.txt a.h5 b.h5 --points -k copy
golden compare.md a.h5 b.h5 -f md
golden compare.latex a.h5 b.h5 -k copy -w size=4MiB,8MiB --points -f latex
"$WARPSWEEP" compare a.h5 a.h5 --points -f json 2>/dev/null | python3 -c '
import json, sys
rows = json.load(sys.stdin)
assert len(rows) == 15, len(rows)
for row in rows:
    assert row["ratio"] in (1, None) and (row["ratio"] is None) == (row["verdict"] == "not measured"), row'

# ---- A/A: two runs of the same thing, three processes each, points from 1 us on. A/B: 5 % more time, then 2 %.
same=0 all=0
for seed in 1 2; do
    "$MAKE_REPLICATES" first.h5 $seed common=0.005 own=0.004
    "$MAKE_REPLICATES" second.h5 $((seed + 100)) common=0.005 own=0.004
    "$WARPSWEEP" compare first.h5 second.h5 -t 5% --points -f tsv >out 2>/dev/null
    same=$((same + $(count same)))
    all=$((all + $(wc -l <out) - 1))
    [[ $(count faster) == 0 && $(count slower) == 0 ]] || fail "seed $seed: A/A differs: $(grep -E 'faster|slower' out)"
    rm first.h5 second.h5
done
echo "A/A: $same of $all points the same"
((all == 480 && same * 100 >= all * 99)) || fail "A/A: $same of $all points the same"
"$MAKE_REPLICATES" r1.h5 1
"$MAKE_REPLICATES" r2.h5 2
"$MAKE_REPLICATES" plus5.h5 3 factor=1.05
"$MAKE_REPLICATES" plus2.h5 4 factor=1.02 common=0.001 own=0.001
"$MAKE_REPLICATES" exact.h5 5 common=0.001 own=0.001
"$WARPSWEEP" compare r1.h5 plus5.h5 --points -f tsv >out 2>/dev/null
(($(count slower) >= 228)) || fail "of 240 points that take 5 % more, $(count slower) are slower"
"$WARPSWEEP" compare exact.h5 plus2.h5 --points -f tsv >out 2>/dev/null
(($(count slower) >= 210)) || fail "of 240 points that take 2 % more, $(count slower) are slower"
"$WARPSWEEP" compare plus5.h5 r1.h5 --points -f tsv >out 2>/dev/null
(($(count faster) >= 228)) || fail "the other way round: $(count faster) faster"
"$WARPSWEEP" compare r1.h5 plus5.h5 -t 8% --points -f tsv >out 2>/dev/null
[[ $(count slower) == 0 ]] || fail "5 % is slower by a threshold of 8 %"
golden compare_replicates.txt r1.h5 plus5.h5
"$WARPSWEEP" compare r1.h5 plus5.h5 -f json 2>/dev/null | python3 -c '
import json, sys
(row,) = json.load(sys.stdin)
assert row["ratio_low"] < 1.05 < row["ratio_high"] and row["verdict"] == "slower", row
assert abs(row["share_a"] / row["share_b"] - row["ratio"]) < 1e-6, row'

# ---- What is assumed.
"$MAKE_REPLICATES" single.h5 6 processes=1
"$MAKE_REPLICATES" other.h5 7 other=1
"$MAKE_REPLICATES" other_single.h5 8 other=1 processes=1
code 0 'One device product: equal variances are assumed' r1.h5 r2.h5
says_not 'one process'
code 0 'B: one process measured 240 of 240 points. Its processes are assumed to differ as much as those of A.' r1.h5 single.h5
code 0 'A: one process measured 240 of 240 points. Its processes' single.h5 r1.h5
code 0 'Both files: one process measured 240 of 240 points, so the difference between processes is unknown' single.h5 single.h5
code 0 'Different device products: equal variances are not assumed' r1.h5 other.h5
code 0 'those of A, though the device is of another product' r1.h5 other_single.h5
# A shift of one process by no more than those of the other file differ is no verdict, as it is without them.
"$MAKE_REPLICATES" shifted.h5 19 processes=1 common=0.02
"$MAKE_REPLICATES" wide.h5 20 common=0.02
"$WARPSWEEP" compare wide.h5 shifted.h5 --points -f tsv >out 2>/dev/null
[[ $(count faster) == 0 && $(count slower) == 0 ]] || fail "a process's shift is a verdict"
"$MAKE_REPLICATES" alone.h5 20 common=0.02 processes=1
"$WARPSWEEP" compare alone.h5 shifted.h5 --points -f tsv >out 2>/dev/null
(($(count faster) + $(count slower) > 60)) || fail "processes that shift by 2 %: $(count faster) faster, $(count slower) slower"
# A file of release 0.1: read, and said what it is taken for.
old=$SOURCE/tests/release-0.1-h200-copy.h5
code 0 'Both files: release 0.1 did not record processes; all samples of a point count as those of one process' "$old" "$old"
"$WARPSWEEP" compare "$old" "$old" --points -f tsv >out 2>/dev/null
[[ $(count same) -ge 90 && $(count 'not measured') == 10 && $(count slower) == 0 ]] || fail "0.1 against itself: $(count same) same"

# ---- What does not mean the same is refused: states of L2, back ends, timers.
"$MAKE_REPLICATES" timed.h5 11 clock=1
"$MAKE_REPLICATES" host.h5 12 host=1
code 2 'different timers at 240 points (clock against events); --mixed compares them anyway' r1.h5 timed.h5
code 0 'Mixed: different timers at 240 points (clock against events)' r1.h5 timed.h5 --mixed
code 2 'different back ends at 240 points (host against fake)' r1.h5 host.h5
code 2 'different states of L2 at ' a.h5 "$old"
grep -qF '(clean against cold)' out || fail "0.1's cold is not told from today's: $(<out)"
code 0 'No shares of roofs: release 0.1 divided by the copy peak' a.h5 "$old" --mixed
code 0 'cache: B = hot against A = cold' "$old" --by cache

# ---- Within one file.
code 0 'variant: B = memcpy against A = store' "$old" --by variant --baseline store
"$WARPSWEEP" compare "$old" --by vector --baseline 4 -w variant=load --points -f tsv >out 2>/dev/null
head -1 out | has -P '^a\tb\tkernel\t' || fail "$(head -1 out)"
! head -1 out | has vector || fail "the column itself is an axis: $(head -1 out)"
code 0 'variant,vector: B = load,4 against A = memcpy,1' "$old" --by variant,vector --baseline memcpy,1
"$WARPSWEEP" compare "$old" --by variant,vector --baseline memcpy,1 --points -f tsv >out 2>/dev/null
! head -1 out | has -E $'\t(variant|vector)\t' || fail "a column itself is an axis: $(head -1 out)"
[[ $(awk -F'\t' '$2 == "load,4"' out | wc -l) -gt 0 ]] || fail "--by variant,vector: $(<out)"
"$MAKE_REPLICATES" fleet.h5 13 devices=4 points=64 slow=2 slower=0.1
"$WARPSWEEP" compare fleet.h5 --by device -f tsv >out 2>/dev/null
[[ $(awk -F'\t' '$2 == 2 {print $13}' out) == slower && $(awk -F'\t' '$2 != 2 {print $13}' out | sort -u) != *slower* ]] ||
    fail "--by device: $(<out)"
code 0 'device: B = 3 against A = 0' fleet.h5 --by device

# ---- CI: exit codes of --fail-above.
code 0 '' r1.h5 r2.h5 --fail-above 1%
code 1 'points are slower by more than 2 %' r1.h5 plus5.h5 --fail-above 2%
code 0 '' r1.h5 plus5.h5 --fail-above 10%
code 0 '' plus5.h5 r1.h5 --fail-above 1%
code 1 'no point was measured on both sides' a.h5 b.h5 -w size=2GiB --fail-above 5%
