#!/usr/bin/env bash
# slurm/submit and slurm/warpsweep.sbatch with either launcher: a whole run; a run told to stop before its time
# limit, which leaves a whole file; and the same submission again, which does what is left.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/slurm/mini.sh
source "$here/mini.sh"
mini_is_possible || exit 77
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,tcp
D=$(mktemp -d /tmp/warpsweep-slurm.XXXXXX)
trap 'mini_stop; rm -rf "$D"' EXIT
fail() { echo "$*" >&2; tail -n 20 "$D"/*.out >&2 || true; exit 1; }
mini_start || fail "the mini cluster does not start"

cat >"$D/job.yaml" <<'END'
timing: {replicates: 1}
sweeps:
  - kernel: copy
    axes: {stride: {from: 1, to: 60, step: 1}}
END

site() { # site LAUNCHER: what a user would edit
    sed -e "s|^export SBATCH_PARTITION=.*|export SBATCH_PARTITION=test|" -e "s|^GPUS_PER_NODE=.*|GPUS_PER_NODE=2|" \
        -e "s|^CPUS_PER_GPU=.*|CPUS_PER_GPU=1|" -e "s|^WARPSWEEP=.*|WARPSWEEP='$WARPSWEEP'|" \
        -e "s|^LAUNCHER=.*|LAUNCHER=$1|" -e "s|^JOB_FILE=.*|JOB_FILE=$D/job.yaml|" \
        -e "s|^OUTPUT=.*|OUTPUT=$D/$1.h5|" -e "s|^RUN_OPTIONS=.*|RUN_OPTIONS=(--backend fake)|" \
        "$SOURCE/slurm/site.env.example" >"$D/site.env"
    export WARPSWEEP_SITE=$D/site.env
}

for launcher in mpirun srun; do
    site "$launcher"
    # Told to stop: the points under way end, the file is whole, the exit code says that points are left.
    export WARPSWEEP_FAKE=sleep=200ms
    job=$("$SOURCE/slurm/submit" --parsable --output="$D/$launcher.out")
    for _ in $(seq 600); do
        progress=$("$WARPSWEEP" status "$D/$launcher.h5" 2>/dev/null) || true # 1: points are left
        [[ $progress =~ :\ ([3-9]|[1-5][0-9])\ of\ 60 ]] && break
        sleep 0.1
    done
    scancel --batch --signal=USR1 "$job"
    for _ in $(seq 600); do
        [[ -z $(squeue -h -j "$job" 2>/dev/null) ]] && break
        sleep 0.1
    done
    [[ -z $(squeue -h -j "$job") ]] || fail "$launcher: the job does not end when it is told to"
    grep -q 'the time limit is near' "$D/$launcher.out" || fail "$launcher: the batch script did not see the signal"
    [[ ! -e $D/$launcher.h5.journal ]] || fail "$launcher: the run was killed, not ended"
    "$WARPSWEEP" status "$D/$launcher.h5" >"$D/status" && fail "$launcher: nothing is left"
    done_before=$(sed -n 's/.*: \([0-9]*\) of 60.*/\1/p' "$D/status")
    ((done_before > 0 && done_before < 60)) || fail "$launcher: $done_before points done"
    # The same submission again does what is left.
    export WARPSWEEP_FAKE=sleep=1ms
    "$SOURCE/slurm/submit" --wait --output="$D/$launcher.out" >/dev/null || fail "$launcher: the second job failed"
    [[ $("$WARPSWEEP" status "$D/$launcher.h5") == *'60 of 60 points done, 0 left'* ]] || fail "$launcher: points are left"
    grep -q "$done_before done before" "$D/$launcher.out" || fail "$launcher: it began anew"
    echo "$launcher: stopped after $done_before of 60 points, went on, done"
done
