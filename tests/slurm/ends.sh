#!/usr/bin/env bash
# How a job ends: scancel cancels, under srun and mpirun, and an array; a restart on a node that does not see the file stops;
# one start that measures nothing is repeated, two in a row end the chain; --retry-failed is given to the first start only.
set -euo pipefail
# shellcheck disable=SC2016 # the node's shell expands it
export MINI_NODE_SETUP='mkdir -p "$D/scratch"; mount -t tmpfs tmpfs "$D/scratch"' D
# shellcheck source=tests/slurm/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
settled() { is_in_state "$1" PENDING || has_ended "$1"; }
# Slow enough for a start never to be over before what is done to it
export WARPSWEEP_FAKE=sleep=1s WARPSWEEP_FAKE_TRACE=$D/trace

for launcher in srun mpirun; do
    site LAUNCHER=$launcher GPUS_PER_NODE=2 "OUTPUT=$D/$launcher.h5"
    # Words of the user's that look like Slurm's
    job=$(submit --parsable --output="$D/$launcher.log.txt" --job-name='x Reason=TimeLimit ' --comment=' Reason=TimeLimit ')
    until_it has_points "$D/$launcher.h5" 4 || fail "$launcher: no points"
    scancel "$job"
    until_it settled "$job"
    is_in_state "$job" CANCELLED || fail "$launcher: after scancel the job is $(state_of "$job")"
    logged "$D/$launcher.log.txt" 'this script does not requeue the job'
done
site GPUS_PER_NODE=2 "OUTPUT=$D/array.h5" SHARES=2 "MERGE_OPTIONS=(--output=$D/merge.log.txt)"
submit --output="$D/array-%a.log.txt" >"$D/submitted"
array=$(sed -n 's/^Submitted an array as job //p' "$D/submitted")
until_it has_points "$D/array.2-of-2.h5" 4 || fail "array: no points"
scancel "$array"
until_it settled "${array}_1" && until_it settled "${array}_2"
has_left_the_queue() { [[ -z $(squeue -h -j "$1" 2>/dev/null) ]]; }
until_it has_left_the_queue "$array" || fail "the array is in the queue again"
echo "cancelled, after $SECONDS s"

site GPUS_PER_NODE=2 "OUTPUT=$D/scratch/x.h5"
mkdir -p "$D/scratch"
rm "$D/trace"
job=$(submit --parsable --nodelist=node1 --output="$D/scratch.log.txt")
until_it test -s "$D/trace" || fail "scratch: no points"
scancel --batch --signal=USR1 "$job"
until_it is_requeued "$job" 1 || fail "scratch: not requeued"
scontrol update JobId="$job" ReqNodeList=node2
until_it nudging "$job" has_ended "$job" || fail "scratch: does not end"
is_in_state "$job" FAILED || fail "scratch: $(state_of "$job")"
logged "$D/scratch.log.txt" 'OUTPUT must be in a folder that all nodes share'
echo "a file that another node does not see, after $SECONDS s"

# ---- A program that crashes in the starts that a file lists, as an MPI does now and then
cat >"$D/crashing" <<END
#!/bin/bash
case " \$* " in
*' --print-job '*) ;;
' run '*) ! grep -qx "\${SLURM_RESTART_COUNT:-0}" '$D/crashes' || kill -SEGV \$\$ ;;
esac
exec '$WARPSWEEP' "\$@"
END
chmod +x "$D/crashing"
printf '%s\n' 1 3 4 >"$D/crashes"
site GPUS_PER_NODE=1 "WARPSWEEP='$D/crashing'" "OUTPUT=$D/crashing.h5"
log=$D/crashing.log.txt
job=$(submit --parsable --output="$log")
for restarts in 0 2; do
    seen=$(points_of "$D/crashing.h5")
    until_it nudging "$job" has_points "$D/crashing.h5" $((seen + 2)) || fail "crashes: start $((restarts + 1)) does not get on"
    scancel --batch --signal=USR1 "$job"
    until_it is_requeued "$job" $((restarts + 1)) || fail "crashes: start $((restarts + 1)) is not requeued"
    until_it nudging "$job" grep -q "start $((restarts + 2))," "$log" || fail "crashes: no start $((restarts + 2))"
    until_it is_requeued "$job" $((restarts + 2)) || fail "crashes: one crash ends the chain"
done
until_it nudging "$job" has_ended "$job" || fail "crashes: the second crash in a row does not end the chain"
is_in_state "$job" FAILED || fail "crashes: $(state_of "$job")"
logged "$log" 'two starts in a row got no further: not requeued'
echo "crashes, after $SECONDS s"

WARPSWEEP_FAKE=fail:vector=1 "$WARPSWEEP" run "$D/job.yaml" --backend fake -o "$D/failed.h5" 2>/dev/null || true
export WARPSWEEP_FAKE='sleep=700ms;fail:vector=1'
site "OUTPUT=$D/failed.h5" 'RUN_OPTIONS=(--backend fake --retry-failed)'
job=$(submit --parsable --output="$D/failed.log.txt")
until_it test -s "$D/failed.h5.journal" || fail "retry: nothing is measured again"
sleep 2
scancel --batch --signal=USR1 "$job"
until_it settled "$job"
until_it has_ended "$job" || fail "retry: the chain goes on: $(state_of "$job")"
! grep -q 'start 2,' "$D/failed.log.txt" || fail "retry: a second start"
logged "$D/failed.log.txt" 'finished, but something failed'
echo "retried once, after $SECONDS s"
