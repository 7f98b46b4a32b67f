#!/usr/bin/env bash
# slurm/submit and slurm/warpsweep.sbatch on two nodes under srun: a chain that is told to stop before its time limit
# and requeues itself, loses a node in its second start, meets one more limit (weekly three), is cancelled and submitted again: it ends COMPLETED with the points of an
# undisturbed run.
set -euo pipefail
# shellcheck source=tests/slurm/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
SECONDS=0

# ---- srun in a way that MPI does not know: one line that says which, and no requeueing.
for way in none pmi2; do
    site "SRUN_MPI=$way" "OUTPUT=$D/$way.h5" NODES=2
    job=$(submit --parsable --output="$D/$way.log.txt")
    until_it has_ended "$job" || fail "$way: the job does not end"
    is_in_state "$job" FAILED || fail "$way: the job is $(state_of "$job"), not FAILED"
    logged "$D/$way.log.txt" "srun started 8 tasks with --mpi=$way.*use srun --mpi=pmix"
    (($(grep -c '^warpsweep: srun started' "$D/$way.log.txt") == 1)) || fail "$way: more than one line"
    ! grep -q 'Open MPI.*was not built\|MPI_ERRORS_ARE_FATAL' "$D/$way.log.txt" || fail "$way: Open MPI's text is there"
    logged "$D/$way.log.txt" 'not requeued'
    [[ ! -e $D/$way.h5 ]] || fail "$way: something was measured"
done
echo "wrong ways of srun: one line each, after $SECONDS s"

# ---- The chain
export WARPSWEEP_FAKE=sleep=${WEEKLY:-300}ms
site "OUTPUT=$D/chain.h5" NODES=2
log=$D/chain.log.txt
job=$(submit --parsable --output="$log")
until_it has_points "$D/chain.h5" 20 || fail "the first start does not get on"
scancel --batch --signal=USR1 "$job"
until_it is_requeued "$job" 1 || fail "the job is not requeued after its limit"
logged "$log" 'on 2 nodes'
logged "$log" 'on 8 ranks'
logged "$log" 'the time limit is near'
logged "$log" "requeueing job $job"
[[ ! -e $D/chain.h5.journal ]] || fail "the run was killed, not ended"
first=$(points_of "$D/chain.h5")
echo "first start: told to stop after $first points, requeued, after $SECONDS s"

until_it nudging "$job" has_points "$D/chain.h5" $((first + 20)) || fail "the second start does not get on"
mini_kill_node 2
scontrol update NodeName=node2 State=DOWN Reason="power failed" # as Slurm finds out itself, after SlurmdTimeout
until_it is_requeued "$job" 2 || fail "the job is not requeued when it has lost a node"
second=$(points_of "$D/chain.h5")
((second < POINTS)) || fail "the run was over too soon to test anything"
echo "second start: lost a node after $second points, requeued, after $SECONDS s"

mini_start_node 2
for limit in 3 ${WEEKLY:+4 5}; do # more time limits
    seen=$(points_of "$D/chain.h5")
    until_it nudging "$job" has_points "$D/chain.h5" $((seen + 16)) || fail "start $limit does not get on"
    scancel --batch --signal=USR1 "$job"
    until_it is_requeued "$job" $limit || fail "the job is not requeued after limit $limit"
done
seen=$(points_of "$D/chain.h5")
((seen < POINTS)) || fail "the chain was over too soon to test anything"
echo "limits and a lost node: $seen points, after $SECONDS s"

until_it nudging "$job" has_points "$D/chain.h5" $((seen + 5)) || fail "start $((limit + 1)) does not get on"
scancel "$job"
until_it has_ended "$job" && is_in_state "$job" CANCELLED || fail "cancelled, the job is $(state_of "$job")"
job=$(submit --parsable --output="$log")
until_it has_ended "$job" || fail "the job does not end"
is_in_state "$job" COMPLETED || fail "the job is $(state_of "$job"), not COMPLETED"
logged "$log" 'done: every point'
is_as_undisturbed "$D/chain.h5"
echo "cancelled, submitted again: COMPLETED, after $SECONDS s"
