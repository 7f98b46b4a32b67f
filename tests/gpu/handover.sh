#!/bin/sh
# handover.sh WARPSWEEP - links between two ranks that see one GPU each, beside the same links where each rank sees both: what is
# handed over is measured alike, within 5 %, cold within 10 %, the driver's copies within 30 %; points that launch on both GPUs are unavailable. Cold latencies tell whether the other
# GPU's L2 is emptied through the link. Skipped (77) without two GPUs.
warpsweep=$1
[ "$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')" -ge 2 ] || { echo "fewer than two GPUs: skipped"; exit 77; }
command -v mpirun >/dev/null || { echo "no mpirun: skipped"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
cat >job.yaml <<'JOB'
title: Links between ranks
counters: none
timing: {max_time: 300ms, timeout: 40s, replicates: 2}
sweeps:
  - kernel: peer_copy
    axes: {variant: [copy_engine, load, store, bulk_load, bulk_store], pair: [0-1, 1-0], direction: [one_way, both_ways], size: [1MiB, 256MiB], cache: [cold, hot]}
  - kernel: peer_latency
    axes: {variant: [load, atomic_add, fence], pair: [0-1, 1-0], cache: [cold, hot]}
JOB
BOTH=40 ONE=52 # points that launch on both GPUs, on one
own() { # rank K sees GPU K only
    mpirun --bind-to none -n 1 env CUDA_VISIBLE_DEVICES=0 "$warpsweep" run job.yaml -o own.h5 --backend cuda : \
        -n 1 env CUDA_VISIBLE_DEVICES=1 "$warpsweep" run job.yaml -o own.h5 --backend cuda
}
rows() { "$warpsweep" table "$@" | tail -n +2; }

mpirun --bind-to none -n 2 "$warpsweep" run job.yaml -o seen.h5 --backend cuda >log 2>&1 || { cat log; exit 1; }
own >log 2>&1 || { cat log; rows own.h5 -w status=failed,crashed,timed_out -c id,message; exit 1; }
rows own.h5 -c status,message | sort | uniq -c
[ "$(rows own.h5 -w status=unavailable -c id | wc -l)" -eq $BOTH ] || { echo "not $BOTH points are unavailable"; exit 1; }
[ "$(rows own.h5 -w status=ok -c message | grep -c '^memory of other ranks, handed over')" -eq $ONE ] ||
    { echo "not $ONE points have memory of other ranks"; exit 1; }

# Own devices beside both seen: id, axes, ratio of the medians.
for file in seen own; do
    rows $file.h5 -w status=ok -w direction=one_way -c id,kernel,variant,pair,size,cache,time_median >$file.copies
    rows $file.h5 -w status=ok -k peer_latency -c id,kernel,variant,pair,size,cache,latency_p50 >$file.latencies
    cat $file.copies $file.latencies | sort >$file.all
done
join -t "$(printf '\t')" seen.all own.all | awk -F'\t' '{ ratio = $13 / $7; printf "%s %s %s %s %s: %.4g and %.4g, ratio %.3f\n", $2, $3, $4, $5, $6, $7, $13, ratio
    allowed = $3 == "copy_engine" ? 0.3 : $6 == "cold" ? 0.1 : 0.05 # the driver copies such memory in another way
    if (!(ratio > 1 - allowed && ratio < 1 + allowed)) bad = bad "\n" $2 " " $3 " " $4 " " $5 " " $6 ": " ratio }
    END { print NR " points compared"; if (bad) print "different:" bad; exit bad != "" || NR < '$ONE' }'
