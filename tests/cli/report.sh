#!/usr/bin/env bash
# What report says of measured files, by what table says of them.
source "$(dirname "$0")/setup.sh"
cd "$D"
# Nothing to say about a file without predictions.
reader report s.h5 --model >out
grep -q 'have no predictions' out || fail "predictions out of nothing: $(cat out)"

# Roofs of a file from before they had ranges: its values, the sheet's, and dashes. How many points are over their roof is that of
# a table. Points whose clock was held down have a dagger in tables and a ring in figures, and each says what it means.
old=$SOURCE/analysis/data/h100-runs/unit1-copy.h5
reader report "$old" --roofs >"$D/roofs" || fail "report --roofs"
grep -qF '| DRAM read | 3094 GB/s | - | - | 3350 GB/s | 92.3 % |' "$D/roofs" || fail "the roof of reads: $(<"$D/roofs")"
over=$(reader table "$old" -w status=ok -c fraction_peak | awk 'NR > 1 && $1 != "nan" && $1 > 1 { n++ } END { print n }')
grep -qF ": $over over 100 % ($over without a range of the roof in the file)" "$D/roofs" || fail "$over points are over 100 %: $(<"$D/roofs")"
real=$SOURCE/analysis/data/h100-runs/unit6-paper.h5
throttled=$(reader table "$real" -w status=ok -w "clock_share<0.98" -c id | grep -c "^[0-9a-f]\{16\}")
reader pivot "$real" -w status=ok -c kernel,time_median -f md >"$D/daggers"
[[ $(grep -c '^|.*†' "$D/daggers") == "$throttled" && $throttled -gt 0 ]] || fail "$throttled throttled rows: $(grep -c '†' "$D/daggers") daggers"
grep -qF "†: SM clock below 98 % of its highest while the point was timed (the power limit at $throttled)" "$D/daggers" || fail "a dagger without its meaning"
reader pivot "$real" -k matmul -c variant,time_median -f latex >"$D/daggers"
grep -qF '\textsuperscript{\dag} \\' "$D/daggers" && grep -qF '\textsuperscript{\dag}: SM clock below' "$D/daggers" || fail "daggers in LaTeX"
reader table "$real" -k matmul | has '^kernel.*throttle' || fail "rows that were throttled, and no column says so"
! reader table "$real" -k block_load | has throttle || fail "a column that says nothing"
! reader pivot "$real" -k block_load -f md | has '†' || fail "a dagger at a point that was not throttled"

# The state of the machine is in the file, from a back end that makes it up; what was not measured is missing.
"$WARPSWEEP" run --kernel copy --set size=64KiB -o "$D/state.h5" --backend fake >/dev/null 2>&1 || fail "a run of the fake"
reader table "$D/state.h5" -n 1 -c device.ecc,device.mig,device.fabric,device.power_limit,device.power_limit_default,device.bar1_bytes,device.memory_clock_load >"$D/state"
[[ $(tail -1 "$D/state") == $'on\toff\tnot_supported\t600\t700\t268435456\tnan' ]] || fail "the state of the machine: $(<"$D/state")"
reader report "$D/state.h5" --roofs | has -F 'state.h5 has no measured roof.' || fail "roofs out of nothing"

# The findings are those of the numbers: the best of a family is what a table sorted by the share of the roof begins with, and
# nobody is called faster by less than 1 %.
real=$SOURCE/analysis/data/h100-runs/unit6-paper.h5 # its reductions are not told apart
reader report "$real" --findings >out || fail "report --findings: $(<out)"
[[ $(grep -c "^- .*: best of .* % of the roof (" out) == 14 && $(grep -c "^- latency .*: best of .* cycles\." out) == 5 ]] || fail "findings are missing: $(<out)"
reader report "$real" >whole || fail "report: $(<whole)"
grep -qF 'of 14 families reaches 90 %' whole && grep -q 'ours are slower in matmul (.*; not told apart by 1 % in add f16, add f32, copy, reduce i32, reduce f32, ' whole || fail "the summary: $(<whole)"
best=$(reader table "$real" -k copy -w variant=load,store -w status=ok -s -fraction_peak -n 1 -c bandwidth,bandwidth_low,bandwidth_high |
    awk 'NR == 2 { printf "%.0f ± %.0f GB/s", $1 / 1e9, ($3 - $2) / 2e9 }')
points=$(reader table "$real" -k copy -w variant=load,store -w status=ok -c fraction_peak | grep -c '^[0-9]')
grep -qF -- "- copy: best of $points points is load" out && grep '^- copy:' out | has -F "at $best," || fail "the best copy is not $best: $(grep '^- copy:' out)"
grep '^- reduce:' out | has -F 'of the roof (DRAM read, measured' || fail "the roof of sums, as papers name it: $(grep '^- reduce' out)"
grep '^- reduce:' out | has 'cub_device does the same work at .* (best of 1; cub_warp: best of [0-9]*): not told apart' || fail "reductions are told apart: $(grep '^- reduce' out)"
reader table "$real" -k reduce -w status=ok -w size=4GiB -w cache=cold -w variant=cub_warp,cub_device -w items=8,0 -s time_median -c variant,time_ci_low,time_ci_high |
    awk 'NR > 1 && !($1 in low) { low[$1] = $2; high[$1] = $3 }
         END { exit !(low["cub_warp"] <= high["cub_device"] && low["cub_device"] <= high["cub_warp"]) }' ||
    fail "intervals of reductions do not overlap: $(reader table "$real" -k reduce -w size=4GiB)"
# Lanes that share words are not served beyond their roof, in a file of an earlier release either.
! grep '^- shared' out | has -E '1([1-9][0-9]|0[1-9])(\.[0-9]+)? ± [^ ]+ % of the roof' || fail "shared memory is beyond its roof"

# A file that is not there leaves no half a report.
for what in --time --bounds --model; do
    said=$(reader report $what "not there.h5" 2>/dev/null) && fail "report $what: no failure"
    [[ -z $said ]] || fail "report $what of no file says: $said"
done
