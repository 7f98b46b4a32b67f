#!/usr/bin/env bash
# Points of several GPUs by the script as it ships: every rank sees the GPUs of its node, under srun and mpirun, and each point is
# measured. Where each task is bound to one GPU, those of one GPU are measured, and the others say what they lack.
set -euo pipefail
# shellcheck source=tests/slurm/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export WARPSWEEP_FAKE='visible;sleep=1ms'
cat >"$D/gpus.yaml" <<'END'
title: 'x.h5: 7 of 9 points done, 2 left "next": "resume", "points": {"done": 99, "left": 3}'
counters: none
timing: {replicates: 2}
sweeps:
  - kernel: copy
    axes: {stride: [1, 2, 4, 8], vector: [1, 2]}
  - kernel: collective
    axes: {variant: [all_reduce, broadcast], gpus: [2, 4], size: [1MiB, 2MiB]}
  - kernel: peer_copy
    axes: {pair: [local, 0-1, 3-2], direction: [one_way, both_ways], size: 1MiB}
END
ONE=10 SEVERAL=12 # points of one GPU, of several

for launcher in srun mpirun; do
    site NODES=2 LAUNCHER=$launcher "JOB_FILE=$D/gpus.yaml" "OUTPUT=$D/$launcher.h5"
    job=$(submit --parsable --output="$D/$launcher.log.txt" 2>"$D/said.txt")
    until_it has_ended "$job" || fail "$launcher: the job does not end"
    is_in_state "$job" COMPLETED || fail "$launcher: the job is $(state_of "$job")"
    logged "$D/$launcher.log.txt" 'on 8 ranks'
    found=$(reader table "$D/$launcher.h5" --columns status --where repeat=0 | tail -n +2 | sort | uniq -c | tr -s ' ')
    [[ $found == " $((ONE + SEVERAL)) ok" ]] || fail "$launcher: $found"
    found=$(reader table "$D/$launcher.h5" --canaries --columns device.uuid | tail -n +2 | sort -u | wc -l)
    ((found == 8)) || fail "$launcher: $found GPUs have measured something, not 8"
done
echo "srun and mpirun, after $SECONDS s"

grep . "$D/said.txt" && fail "submit says something of a job that it can give all GPUs"

site NODES=2 GPU_BIND=single:1 "JOB_FILE=$D/gpus.yaml" "OUTPUT=$D/bound.h5"
job=$(submit --parsable --output="$D/bound.log.txt" 2>"$D/said.txt")
wanted='12 of 22 points need more GPUs of a node than a rank will see, which is 1, and will be unavailable: collective (8 points, up to 4 GPUs), peer_copy (4 points, up to 4 GPUs)'
grep -qF "$wanted" "$D/said.txt" || fail "submit does not say which points need more GPUs: $(<"$D/said.txt")"
until_it has_ended "$job" || fail "bound: the job does not end"
found=$(reader table "$D/bound.h5" --columns status --where repeat=0 | tail -n +2 | sort | uniq -c | tr -s ' ' | tr '\n' ';')
[[ $found == " $ONE ok; $SEVERAL unavailable;" ]] || fail "bound: $found"
reader table "$D/bound.h5" --columns message --where pair=0-1 | grep >/dev/null 'this rank sees 1; .*--gpu-bind=none' || fail "bound: no reason"
for setting in GPU_BIND=per_task:1 GPUS_PER_NODE=2; do
    site NODES=2 $setting "JOB_FILE=$D/gpus.yaml" "OUTPUT=$D/none.h5" "RUN_OPTIONS=(--backend fake --only gpus=4)"
    ! "$SOURCE/slurm/submit" --output="$D/none.log.txt" 2>"$D/said.txt" || fail "$setting: a job without a point that can be measured was submitted"
    grep -q 'every point needs more GPUs of a node' "$D/said.txt" || fail "$setting: $(<"$D/said.txt")"
done
echo "one GPU for each task, after $SECONDS s"
