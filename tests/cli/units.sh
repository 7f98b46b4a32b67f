#!/usr/bin/env bash
# Runs on several H200s (analysis/data/h200-runs): intervals of compare hold between runs and between units of one kind as often as
# they promise, no equal pair is called different, and units of two kinds are told apart by their roofs.
source "$(dirname "$0")/setup.sh"
data=$SOURCE/analysis/data/h200-runs
all=0 held=0
for pair in '1-1 2-1' '1-2 3-1' '2-2 3-2' '4-1 5-1' '4-2 5-2' '1-1 1-2' '4-1 4-2'; do
    read -r a b <<<"$pair"
    "$WARPSWEEP" compare "$data/unit$a.h5" "$data/unit$b.h5" --points -f tsv 2>"$D/said" >"$D/points"
    read -r points inside called < <(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["ratio"] != "nan" { n++; h += $c["ratio_low"] <= 1 && $c["ratio_high"] >= 1; v += $c["verdict"] ~ /faster|slower/ }
        END { print n, h, v + 0 }' "$D/points")
    echo "$pair: 1 is within $inside of $points intervals; $called called different"
    [[ $called == 0 ]] || fail "$pair: $called points are called different"
    all=$((all + points)) held=$((held + inside))
done
((held * 100 >= all * 93)) || fail "intervals hold at $held of $all points"
"$WARPSWEEP" compare "$data/unit1-1.h5" "$data/unit4-1.h5" | tr '\n' ' ' | tr -s ' ' | has 'peak_read (measured: 46[0-9.]*, 45[0-9.]* GB/s)' ||
    fail "units of two kinds are not told apart"

# The profile has what report --runs measures, of units within their group.
"$WARPSWEEP" report --runs "$data"/unit?-?.h5 >"$D/runs" || fail "report --runs"
has '10 runs on 5 units (by UUID) in 2 groups' <"$D/runs" || fail "report --runs: $(cat "$D/runs")"
values=$(sed -n 's/\\//g; s/^- \(spread_[a-z_]*\): \(.*\)/\1 \2/p' "$D/runs")
[[ $(wc -l <<<"$values") == 6 ]] || fail "report --runs has other values: $values"
while read -r name value; do
    grep -q "^  $name: {value: $value," "$SOURCE/profiles/h200.yaml" || fail "profiles/h200.yaml has another $name than $value"
done <<<"$values"

# Three processes find 2 % of cold points, and the number that hot ones need is told.
"$WARPSWEEP" compare "$data/unit1-1.h5" "$data/unit1-2.h5" | tr '\n' ' ' | tr -s ' ' |
    has '[0-9]* replicates would find 2 % at 95 % of the points (cold [23], hot [12][0-9], rotate [12][0-9])' || fail "replicates"
