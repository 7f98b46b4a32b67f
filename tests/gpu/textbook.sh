#!/bin/sh
# textbook.sh WARPSWEEP SOURCE - the textbook's experiments on a GPU. Two-dimensional textures at odd sizes of table and result, for
# both dtypes and with few and many sets of buffers; one code with shared memory of six sizes; then what jobs/paper.yaml has of each experiment. All points pass
# verification. Overlapping copies with work on four streams is faster than on one. Skipped (77) without a GPU.
warpsweep=$1 source=$2
. "$(dirname "$0")/common.sh"
cat >textures.yaml <<'JOB'
title: Tables in rows and columns
counters: none
timing: {max_time: 50ms, replicates: 1}
sweeps:
  - kernel: lookup
    axes:
      variant: [plain, texture, texture2d]
      size: [4, 4100, 64MiB]
      table: [16, 4224, 8KiB, 64MiB]
      dtype: [f32, i32]
      index: [modulo, column, random]
      lookups: [1, 3]
      cache: [cold, hot]
JOB
# all JOB FILE: measure the job; every supported point is ok.
all() {
    "$warpsweep" run "$1" -o "$2" --backend cuda >log 2>&1 || fail "$1"
    "$warpsweep" table "$2" -c status | tail -n +2 | sort | uniq -c
    [ "$("$warpsweep" table "$2" -c status | grep -c '^ok$')" -gt 0 ] || fail "$1: no point is ok"
    [ "$("$warpsweep" table "$2" -c status | tail -n +2 | grep -cvE '^(ok|unsupported)$')" -eq 0 ] || fail "$1: points are not ok"
    ! grep 'counts points again' log || fail "$1: a worker died of counting"
}
all textures.yaml textures.h5
# One code with shared memory of six sizes is counted in one round.
"$warpsweep" run "$source/jobs/chip.yaml" --only kernel=atomics --only place=shared --only variant=add --print-job >sizes.yaml || fail sizes
all sizes.yaml sizes.h5
before=$(date +%s)
for only in 'kernel=lookup indices=computed' 'kernel=lookup index=column' 'kernel=lookup carveout=0,50,100' \
    'kernel=silu_mul batch=1,2,4,8,16,32 cache=hot' 'kernel=reduce grid=cover' 'kernel=prefetch variant=pipeline,pipeline_thread' \
    'kernel=host_copy variant=overlapped,round_trip work=256,1024,4096' 'kernel=host_copy variant=round_trip work=0' \
    'kernel=lookup variant=texture2d index=random'; do
    set --
    for condition in $only; do
        set -- "$@" --only "$condition"
    done
    echo "$only"
    "$warpsweep" run "$source/jobs/paper.yaml" "$@" --print-job >part.yaml || fail "$only"
    rm -f part.h5
    all part.yaml part.h5
    case $only in *1024*) mv part.h5 work.h5 ;; esac
done
echo "the new points of the paper's job with all counters, nine starts included: $(($(date +%s) - before)) s"
"$warpsweep" table work.h5 -w variant=overlapped -w work=1024 -c streams,bandwidth -s streams >overlap.tsv || fail "overlap"
cat overlap.tsv
awk -F'\t' '$1 == 1 { one = $2 } $1 == 4 { four = $2 } END { exit !(one > 0 && four > one) }' overlap.tsv ||
    fail "four streams are not faster than one"
