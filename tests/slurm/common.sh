# shellcheck shell=bash
# Sourced by the tests of slurm/: a Slurm of their own, a job of 240 points and an undisturbed run of it, and short
# words for submitting, disturbing and looking.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/slurm/mini.sh
source "$here/mini.sh"
mini_is_possible || exit 77
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,tcp
D=$(mktemp -d /tmp/warpsweep-slurm.XXXXXX)
# Tests run beside each other and submit from one clone: each removes the settings of its own jobs.
trap 'mini_stop; (cd "$SOURCE/slurm-jobs" 2>/dev/null && grep -lFr "$D" . | xargs -r dirname | xargs -r rm -rf); rm -rf "$D"' EXIT
export WARPSWEEP_CACHE=$D/cache # how long points took in other tests decides no order here
fail() {
    echo "FAILED: $*" >&2
    tail -n 30 "$D"/*.log.txt >&2 || true
    exit 1
}

POINTS=240
cat >"$D/job.yaml" <<'END'
counters: none
timing: {replicates: 1}
sweeps:
  - kernel: copy
    axes: {stride: {from: 1, to: 240, step: 1}}
END

# What a user would edit: site NAME=VALUE..., into a site.env of its own.
site() {
    local setting edits=(-e "s|^export SBATCH_PARTITION=.*|export SBATCH_PARTITION=test|" -e "s|^CPUS_PER_GPU=.*|CPUS_PER_GPU=1|"
        -e "s|^WARPSWEEP=.*|WARPSWEEP='$WARPSWEEP'|" -e "s|^JOB_FILE=.*|JOB_FILE=$D/job.yaml|"
        -e "s|^RUN_OPTIONS=.*|RUN_OPTIONS=(--backend fake)|")
    for setting; do
        edits+=(-e "s|^${setting%%=*}=.*|$setting|")
    done
    sed "${edits[@]}" "$SOURCE/slurm/site.env.example" >"$D/site.env"
    for setting; do
        grep -qxF "$setting" "$D/site.env" || fail "site.env.example has no ${setting%%=*}"
    done
    export WARPSWEEP_SITE=$D/site.env
}

submit() { "$SOURCE/slurm/submit" "$@" || fail "slurm/submit fails"; }

# ids and statuses of all points, in an order that does not hang on the run
rows() { reader table "$1" --columns id,status --where repeat=0 | tail -n +2 | sort; }
is_as_undisturbed() { # is_as_undisturbed FILE
    [[ ! -e $1.journal ]] || fail "$1: the run was not closed"
    local json
    json=$("$WARPSWEEP" status "$1" -f json) || true
    [[ "$(member points 'done') $(member points left)" == "$POINTS 0" ]] || fail "$1: points are left"
    rows "$1" | diff -q - "$D/undisturbed" >/dev/null || fail "$1: not the points of an undisturbed run"
    [[ $(rows "$1" | uniq -d | wc -l) == 0 ]] || fail "$1: points are there twice"
}

# shellcheck source=tests/warm/reader.sh
source "$here/../warm/reader.sh"
# shellcheck source=slurm/common.sh
source "$SOURCE/slurm/common.sh"
points_of() {
    local json
    json=$("$WARPSWEEP" status "$1" -f json 2>/dev/null) || true # 1: points are left
    json=$(member points 'done')
    echo "${json:-0}"
}
has_points() { (($(points_of "$1") >= $2)); } # has_points FILE COUNT
state_of() { scontrol show job "$1" 2>/dev/null | sed -n 's/ *JobState=\([A-Z_]*\).*/\1/p' | sed -n 1p; }
restarts_of() { scontrol show job "$1" 2>/dev/null | sed -n 's/.*Restarts=\([0-9]*\).*/\1/p' | sed -n 1p; }
is_in_state() { [[ $(state_of "$1") == "$2" ]]; }
is_requeued() { [[ $(restarts_of "$1") == "$2" && $(state_of "$1") == PENDING ]]; } # is_requeued JOB RESTARTS
has_ended() { [[ $(state_of "$1") =~ ^(COMPLETED|FAILED|TIMEOUT|CANCELLED|NODE_FAIL)$ ]]; }

# The same as COMMAND..., while a requeued job does not wait the two minutes that Slurm holds it back. Within the
# second of its requeueing it could not start: "Job credential revoked". Once for each requeueing, and not if COMMAND has succeeded
# since: after a short start, the next one would begin before anybody has seen that the job was requeued.
nudged=''
nudging() { # nudging JOB COMMAND...
    local job=$1 pending=''
    shift
    ! is_in_state "$job" PENDING || pending="$job, $(restarts_of "$job") restarts"
    ! "$@" || return 0
    [[ $pending && $pending != "$nudged" ]] || return 1
    sleep 2
    ! scontrol update JobId="$job" StartTime=now 2>/dev/null || nudged=$pending
    return 1
}
logged() { grep -q -e "$2" "$1" || fail "$1 does not say '$2'"; } # logged LOG TEXT

mini_start || fail "the mini cluster does not start"
WARPSWEEP_FAKE=sleep=1ms "$WARPSWEEP" run "$D/job.yaml" -o "$D/undisturbed.h5" --backend fake 2>"$D/undisturbed.log.txt" ||
    fail "an undisturbed run"
rows "$D/undisturbed.h5" >"$D/undisturbed"
(($(wc -l <"$D/undisturbed") == POINTS)) || fail "an undisturbed run has not $POINTS points"
