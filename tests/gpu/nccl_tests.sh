#!/bin/sh
# The collectives of `launch: back_to_back` beside nccl-tests on the first two GPUs, both in turn: within 5 % for each operation from
# 16 MiB on. Smaller ones are printed only: there the pace of the host decides (docs/findings/links.md). NCCL_TESTS names the folder of the
# programs of nccl-tests (its build/); NCCL_TESTS_OPTIONS has more options for them, such as -G 1. Skipped without it, NCCL or two GPUs.
# usage: nccl_tests.sh WARPSWEEP [ROUNDS]
set -eu
warpsweep=$1 rounds=${2:-3}
[ -x "${NCCL_TESTS:-}/all_reduce_perf" ] || { echo "NCCL_TESTS names no folder with all_reduce_perf of nccl-tests"; exit 77; }
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU' || true)
[ "$gpus" -ge 2 ] || { echo "needs two GPUs"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export NCCL_NVLS_ENABLE="${NCCL_NVLS_ENABLE:-0}" # as the worker sets it

cat >"$work/job.yaml" <<'JOB'
counters: none
timing: {min_samples: 10, target_ci: 0.5%, max_time: 0.3s, replicates: 1}
sweeps:
  - kernel: collective
    axes:
      variant: [all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, send_recv]
      gpus: 2
      launch: back_to_back
      cache: rotate
      size: [1MiB, 4MiB, 16MiB, 64MiB, 256MiB, 1GiB]
JOB

# Lines "variant size us" of one run of each operation, out of place: the first time of a line that begins with a size.
theirs() {
    for pair in all_reduce:all_reduce all_gather:all_gather reduce_scatter:reduce_scatter all_to_all:alltoall broadcast:broadcast \
        send_recv:sendrecv; do
        "$NCCL_TESTS/${pair#*:}_perf" -b 1M -e 1G -f 4 -g 2 -n 20 -w 5 -c 0 ${NCCL_TESTS_OPTIONS:-} >"$work/theirs.txt"
        awk -v op="${pair%%:*}" '$1 ~ /^[0-9]+$/ && NF > 8 {print op, $1, $6}' "$work/theirs.txt"
    done
}
ours() {
    mpirun -n 2 --bind-to none "$warpsweep" run "$work/job.yaml" -o "$work/$1.h5" >&2
    "$warpsweep" table "$work/$1.h5" -k collective -w status=ok -c variant,size,time_median | awk -F'\t' 'NR > 1 {print $1, $2, $3 * 1e6}'
}

for round in $(seq "$rounds"); do
    theirs | sed 's/^/theirs /' >>"$work/all.txt"
    ours "$round" | sed 's/^/ours /' >>"$work/all.txt"
done
awk '
    function median(key, n,   i, j, swap, a) {
        for (i = 1; i <= n; i++) a[i] = value[key, i]
        for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (a[j] < a[i]) { swap = a[i]; a[i] = a[j]; a[j] = swap }
        return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
    }
    { key = $1 " " $2 " " $3; value[key, ++count[key]] = $4; if ($1 == "theirs") points[$2 " " $3] }
    END {
        print "operation size nccl-tests_us warpsweep_us difference_%"
        for (p in points) {
            if (!count["ours " p]) { print p, "not measured"; bad++; continue }
            t = median("theirs " p, count["theirs " p]); o = median("ours " p, count["ours " p]); d = 100 * (o / t - 1)
            printf "%s %.2f %.2f %+.1f\n", p, t, o, d
            split(p, part)
            if (part[2] < 16777216) continue
            all++; bad += d > 5 || d < -5
        }
        printf "%d of %d from 16 MiB on differ by more than 5 %%\n", bad, all
        exit bad || !all
    }' "$work/all.txt"
