#!/usr/bin/env bash
# Profiles: read off a file, written, read again; predictions by them; the model held to a measured file.
source "$(dirname "$0")/setup.sh"
cd "$D"
measured=$SOURCE/analysis/data/h200-paper.h5

# What is written is read again, and predicts the same.
"$WARPSWEEP" profile "$measured" -o h200.yaml
grep -q 'latency_dram: {value: [0-9.]*, .*unit: "cycles", measured: true' h200.yaml || fail "no latency: $(cat h200.yaml)"
grep -q 'source: "[0-9a-f]\{16\} of h200-paper.h5"' h200.yaml || fail "a value does not tell its point"
status=0
"$WARPSWEEP" report --bounds "$measured" >own.md || status=$?
"$WARPSWEEP" report --bounds "$measured" --profile h200.yaml >given.md || true
[[ $status == 0 ]] || fail "report --bounds: exit $status"
diff <(grep '^| all whose' own.md) <(grep '^| all whose' given.md) || fail "the written profile predicts otherwise"

# Most of what is known of a machine is told right: the model is of use. Points within 7 and 15 %, variants out of order, bounds
# that are not as counted.
status=0
"$WARPSWEEP" report --bounds "$SOURCE/analysis/data/h100-paper.h5" >h100.md || status=$?
[[ $status == 0 ]] || fail "report --bounds: exit $status"
for held in "own.md 80 95 7 51" "h100.md 84 96 9 35"; do
    read -r file least_near least_within disordered misnamed <<<"$held"
    read -r near within order bounds < <(grep '^| all whose' "$file" |
        awk -F'|' '{split($9, o, "/"); split($10, b, "/"); print $5+0, $6+0, o[2]-o[1], b[2]-b[1]}')
    ((${within%.*} >= least_within && ${near%.*} >= least_near && order <= disordered && bounds <= misnamed)) ||
        fail "$file: $near % within 7 %, $within % within 15 %, $order pairs out of order, $bounds bounds wrong"
done
plain=$(grep '^| all whose' own.md | awk -F'|' '{print $8+0}')
((${within%.*} >= ${plain%.*} + 20)) || fail "bytes over the peak do as well: $plain %"
! grep -qw nan own.md || fail "nan: $(grep -w nan own.md)"

# A predicted file says so, in its device and back end, and has no measured sample.
cat >job.yaml <<J
title: small
sweeps:
  - kernel: copy
    axes: {variant: [load, store], size: [64KiB, 1GiB], vector: [1, 4]}
  - kernel: latency
    axes: {variant: l2, size: 1MiB, cache: hot}
J
for profile in "$SOURCE"/profiles/*.yaml; do
    name=$(basename "$profile" .yaml)
    "$WARPSWEEP" predict job.yaml --profile "$name" -o "$name.h5" 2>told
    grep -q 'nothing was measured' told || fail "predict does not say that nothing was measured"
    [[ $("$WARPSWEEP" table "$name.h5" -w status=ok -c backend | sort -u | grep -v backend) == predicted ]] ||
        fail "$name: not marked as predicted"
    "$WARPSWEEP" table "$name.h5" -c device.name | has '(predicted)' || fail "$name: the device does not say so"
    [[ $("$WARPSWEEP" table "$name.h5" -w status=ok -c id | wc -l) == 9 ]] || fail "$name: not 8 points"
    "$WARPSWEEP" table "$name.h5" -w kernel=latency -c message | has 'has no prediction' || fail "$name: a chain is predicted"
done
! grep -l 'measured: true' "$SOURCE"/profiles/{b200,gb200,b300,rtx-pro-6000}.yaml || fail "a data sheet was measured?"

# A prediction is no measurement: no profile comes of it, and it is not judged.
status=0
"$WARPSWEEP" profile b200.h5 >out 2>errors || status=$?
[[ $status == 2 ]] && grep -q 'is not a GPU' errors && [[ ! -s out ]] || fail "a profile of a prediction: $(cat out errors)"
"$WARPSWEEP" report --bounds b200.h5 | has 'Nothing can be predicted' || fail "a prediction is judged"

# Beside what was measured: its own device's points by its own profile differ by no more than the model is off, those of a
# device with twice the bandwidth do; what the model knows no addresses of is left out, and all of it says that it is predicted.
real=$SOURCE/analysis/data/h200-paper.h5
for profile in h200 b200; do
    "$WARPSWEEP" predict "$SOURCE/jobs/paper.yaml" --profile "$profile" -o "paper-$profile.h5" 2>/dev/null
    "$WARPSWEEP" compare "$real" "paper-$profile.h5" >"$profile.txt" || fail "$profile: not compared"
    grep -q '^- B was predicted, not measured' "$profile.txt" || fail "$profile: it does not say so: $(tail -5 "$profile.txt")"
    "$WARPSWEEP" compare "$real" "paper-$profile.h5" --points -f tsv >"$profile.tsv"
done
grep -q '^B = .*NVIDIA B200 (predicted)$' b200.txt || fail "$(head -2 b200.txt)"
verdicts() { awk -F'\t' -v v="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "verdict") c = i } $c == v' "$1" | wc -l; }
(($(verdicts h200.tsv faster) + $(verdicts h200.tsv slower) < 14)) || fail "its own profile: $(grep ^all h200.txt)" # of 713, 2 %
(($(verdicts b200.tsv faster) > 350 && $(verdicts b200.tsv slower) <= 1)) || fail "a B200's: $(grep ^all b200.txt)"
! grep -P '^lookup\tconstant\t' b200.tsv | grep -v 'not measured' >&2 || fail "a point of unknown addresses is compared with its prediction"
"$WARPSWEEP" plot "$real" paper-b200.h5 -o ratios -f svg -F forest >/dev/null
grep -qF '>H200, then B200 (predicted)<' ratios/forest.svg || fail "the figure of ratios does not say that one side is predicted"
"$WARPSWEEP" plot paper-b200.h5 -o alone -f svg -F copy_stride >/dev/null
grep -qF '>B200 (predicted)<' alone/copy_stride.svg || fail "a figure of predictions alone does not say so"

# Twice the same.
"$WARPSWEEP" predict job.yaml --profile h200 -o again.h5 2>/dev/null
diff <("$WARPSWEEP" table h200.h5 -c id,time_median,bound) <("$WARPSWEEP" table again.h5 -c id,time_median,bound)
"$WARPSWEEP" table h200.h5 -w status=ok -c registers | awk 'NR > 1 && $1 != "nan" { exit 1 }' || fail "registers are known without code"

# With what the hardware counted of the kernels; without, as before a run, fewer points are near.
"$WARPSWEEP" report --bounds --code none "$measured" >none.md || fail "--code none: exit $?"
grep -q 'The hardware counted instructions' own.md && ! grep -q 'The hardware counted instructions' none.md || fail "--code none: $(head -20 none.md)"
near_of() { grep '^| all whose' "$1" | awk -F'|' '{print int($5)}'; }
(($(near_of none.md) < $(near_of own.md))) || fail "the hardware's counts are of no use: $(near_of none.md) % without them"
status=0
"$WARPSWEEP" report --bounds --code all "$measured" >/dev/null 2>errors || status=$?
[[ $status == 2 ]] && grep -q "none, compiled, counted" errors || fail "--code all: exit $status: $(cat errors)"

# What is wrong is told where it is.
expect() { # expect TEXT FILE-CONTENTS
    printf '%s\n' "$2" >bad.yaml
    status=0
    "$WARPSWEEP" predict job.yaml --profile ./bad.yaml -o bad.h5 2>errors || status=$?
    [[ $status == 2 ]] || fail "exit $status for: $2"
    grep -qF "$1" errors || fail "expected '$1', got: $(cat errors)"
    [[ ! -e bad.h5 ]] || fail "a file was written all the same"
}
expect 'bad.yaml:3:3: unknown value' $'name: x\nvalues:\n  peak_cpy: {value: 1, measured: true, source: y}'
status=0
"$WARPSWEEP" predict job.yaml --profile b2000 -o bad.h5 2>errors || status=$?
[[ $status == 2 ]] && grep -q 'shipped profile (h100' errors || fail "an unknown profile: $(cat errors)"
