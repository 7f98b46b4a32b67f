#!/bin/sh
# paired.sh WARPSWEEP CC SOURCE - two versions measured in pairs on a GPU. The same code twice: no point is faster or slower, and
# what order costs is below 0.1 %. With 0.2 % more work at least 95 % of the points of 10 us and more are slower; with 1 % more,
# all points that this makes at least 0.45 % slower on average. Skipped (77) where there is no GPU.
warpsweep=$1 cc=$2 source=$3
. "$(dirname "$0")/common.sh"
for extra in 0 2 10; do
    mkdir more$extra
    "$cc" -std=gnu17 -shared -fPIC -DEXTRA_PERMILLE=$extra -I "$source/src" -I "$source" "$source/tests/gpu/spin.c" \
        -o more$extra/spin.so && cp "$source/tests/gpu/spin.cu" more$extra/ || exit 1
done
cp -r more0 again
# 500 rounds take about as long as the launch itself; 5000 take 10 us, where 0.2 % is a whole trip round the loop.
cat >job.yaml <<'JOB'
title: A family, and the same with more to do
counters: none
sweeps:
  - kernel: spin
    axes: {size: [16KiB, 128KiB, 1MiB], block: [128, 512], rounds: [500, 1000, 5000, 20000], cache: [cold, hot]}
JOB
failed=0
for extra in 0 2 10; do
    other=more$extra
    [ $extra -ne 0 ] || other=again
    "$warpsweep" run job.yaml -o "$extra.h5" --backend cuda --kernels a=more0 --kernels b=$other >log 2>&1 || fail run
    "$warpsweep" compare "$extra.h5" >summary || exit 1
    grep 'loaded second\|coming second' -A 1 summary
    for rounds in 500 1000 5000 20000; do
        "$warpsweep" compare "$extra.h5" --points -f tsv --where rounds=$rounds >points.tsv 2>/dev/null || exit 1
        awk -F'\t' -v extra=$extra -v rounds=$rounds '
            NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
            { all++; n[$column["verdict"]]++; time += $column["time_a"]; ratio += $column["ratio"]
              half += ($column["ratio_high"] - $column["ratio_low"]) / 2 }
            END { time /= all; ratio /= all
                  printf "%4.1f %% more, %5d rounds, %6.2f us: ratio %.4f, interval +-%.4f; %d faster, %d slower, %d same, %d uncertain of %d\n",
                      extra / 10, rounds, 1e6 * time, ratio, half / all, n["faster"], n["slower"], n["same"], n["uncertain"], all
                  if (all != 12 || n["faster"]) exit 1
                  if (extra == 0) exit n["slower"] > 0
                  if ((extra == 2 && time >= 10e-6) || (extra == 10 && ratio >= 1.0045)) exit n["slower"] < 0.95 * all }' points.tsv ||
            { echo "FAILED: $extra per mille, $rounds rounds"; failed=1; }
    done
done
# What order costs in the run of equal versions.
"$warpsweep" compare 0.h5 -f tsv 2>told >/dev/null
tr -d '\n' <told | grep -o 'coming second[^:]*: [+-][0-9.]*' | awk '{ cost = $NF + 0; exit !(cost < 0.1 && cost > -0.1) }' ||
    { echo "FAILED: order costs 0.1 % or more"; cat told; failed=1; }
exit $failed
