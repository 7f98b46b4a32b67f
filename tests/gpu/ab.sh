#!/bin/sh
# ab.sh WARPSWEEP CC SOURCE - A/A and A/B on a GPU: two runs of one family have no point faster or slower; of a family that
# does 2 % more work, at least 95 % of the points are found slower. Skipped (77) where there is no GPU.
warpsweep=$1 cc=$2 source=$3
. "$(dirname "$0")/common.sh"
for extra in 0 20; do
    mkdir more$extra
    "$cc" -std=gnu17 -shared -fPIC -DEXTRA_PERMILLE=$extra -I "$source/src" -I "$source" "$source/tests/gpu/spin.c" \
        -o more$extra/spin.so && cp "$source/tests/gpu/spin.cu" more$extra/ || exit 1
done
cat >job.yaml <<'JOB'
title: A family, and the same with two percent more to do
counters: none
sweeps:
  - kernel: spin
    axes: {size: {from: 16KiB, to: 32MiB, factor: 2}, dtype: [f32, f64], block: [128, 256, 512], cache: [cold, hot]}
JOB
for run in a:0 again:0 b:20; do
    "$warpsweep" run job.yaml -o "${run%:*}.h5" --backend cuda --kernels "more${run#*:}" >log 2>&1 || fail run
done
# verdicts FILE: how many points of the comparison with a.h5 are of each verdict.
verdicts() {
    "$warpsweep" compare a.h5 "$1" --points -f tsv >points.tsv || exit 1
    awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "verdict") c = i; next } { n[$c]++; all++ }
        END { printf "%d faster, %d slower, %d same, %d uncertain of %d\n", n["faster"], n["slower"], n["same"], n["uncertain"], all }' points.tsv
}
echo "A/A: $(verdicts again.h5)"
echo "A/B: $(verdicts b.h5)"
verdicts again.h5 | grep >/dev/null '^0 faster, 0 slower' || { echo "A/A: points differ"; exit 1; }
verdicts b.h5 | awk '{ exit !($3 >= 0.95 * $NF) }' || { echo "A/B: too few points are found"; exit 1; }
"$warpsweep" compare a.h5 b.h5
