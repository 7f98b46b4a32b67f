#!/usr/bin/env bash
# A rank of eight, on the second of two nodes, dies under srun, and one stops without dying. Slurm's PMIx ends the whole step
# when a rank dies, --kill-on-bad-exit=0 or not: the job requeues itself and goes on. One without heartbeats is lost, the
# others measure its points, and that start ends, in time and with every point.
set -euo pipefail
# shellcheck source=tests/slurm/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
SECONDS=0

# rank_pid NUMBER: the process of a rank of the job that runs.
rank_pid() {
    local pid
    for pid in $(pgrep -x warpsweep); do
        if tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | grep -xF "SLURM_PROCID=$1" >/dev/null &&
            tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | grep -F "$D" >/dev/null; then
            echo "$pid"
            return 0
        fi
    done
    return 1
}

export WARPSWEEP_FAKE=sleep=250ms
file=$D/dead_rank.h5 log=$D/dead_rank.log.txt
site "OUTPUT=$file" NODES=2 "RUN_OPTIONS=(--backend fake --silence 3s)"
job=$(submit --parsable --output="$log")
until_it has_points "$file" 40 || fail "the run does not get on"
kill -KILL "$(rank_pid 7)" || fail "no process of rank 7"
until_it is_requeued "$job" 1 || fail "the job is not requeued after a rank has died"
first=$(points_of "$file")
((first >= 40 && first < POINTS)) || fail "$first points are kept of at least 40"
logged "$log" "requeueing job $job"
echo "first start: rank 7 killed, requeued with $first points, after $SECONDS s"

until_it nudging "$job" has_points "$file" $((first + 20)) || fail "the second start does not get on"
stopped=$(rank_pid 7) || fail "no process of rank 7"
at=$SECONDS
kill -STOP "$stopped"
has_every_point() { [[ ! -e $file.journal ]] && has_points "$file" "$POINTS"; }
until_it has_every_point || fail "the others do not go on without rank 7"
took=$((SECONDS - at))
logged "$log" 'rank 7 on node2.*no heartbeat'
((took <= 60)) || fail "the run ended $took s after the rank"
is_as_undisturbed "$file"
until_it nudging "$job" has_ended "$job" || fail "the job does not end"
! kill -0 "$stopped" 2>/dev/null || fail "the rank that was stopped is still there"
echo "second start: rank 7 stopped, its points measured by others in $took s; the job is $(state_of "$job"), after $SECONDS s"
