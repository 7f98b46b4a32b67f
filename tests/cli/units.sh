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
"$WARPSWEEP" report --runs "$data"/unit[123]-?.h5 | has '6 runs on 3 units' || fail "report --runs"
