#!/usr/bin/env bash
# What a site does to a chain of jobs: a node is drained, an element of an array fails, a job is requeued while its checkpoint is being
# written. Each time the log's exit code, `status` and the state that Slurm shows say the same, and the next job of the chain goes on.
set -euo pipefail
MINI_EDIT=(-e 's/^KillWait=.*/KillWait=5/') # a start that stalls is killed
# shellcheck source=tests/slurm/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
SECONDS=0

# agrees FILE CODE REASON: `status` ends with the code, and its JSON names the reason, or none for "".
agrees() {
    local json code=0 reasons
    json=$("$WARPSWEEP" status "$1" -f json) || code=$?
    reasons=$(python3 -c 'import json, sys; print(*(r["reason"] for r in json.load(sys.stdin)["reasons"]))' <<<"$json")
    [[ $code == "$2" && $reasons == "$3" ]] || fail "$1: status ends with $code and says '$reasons', not $2 and '$3'"
}
node_of() { scontrol show job "$1" | sed -n 's/^ *NodeList=//p' | sed -n 1p; }

# The first start takes a minute, so that it is not over before what is done to it; later ones are quick, and their disk is.
cat >"$D/slow_first" <<END
#!/bin/bash
[[ ! \${STALLS_AT:-} || " \$* " != *' run '* ]] || export LD_PRELOAD='$BUILD/tests/mpi/libslow_disk.so' # in all starts: a file's must agree
[[ \${SLURM_RESTART_COUNT:-0} == 0 ]] && export WARPSWEEP_FAKE=sleep=1s || unset STALLS_AT
exec '$WARPSWEEP' "\$@"
END
chmod +x "$D/slow_first"

# ---- A node is drained: the start on it goes on, and the next one takes the other node.
export WARPSWEEP_FAKE=sleep=5ms
site "OUTPUT=$D/drained.h5" "WARPSWEEP='$D/slow_first'"
job=$(submit --parsable --output="$D/drained.log.txt")
until_it has_points "$D/drained.h5" 4 || fail "drained: no points"
node=$(node_of "$job")
scontrol update NodeName="$node" State=DRAIN Reason=test
seen=$(points_of "$D/drained.h5")
until_it has_points "$D/drained.h5" $((seen + 4)) || fail "a drained node ends what runs on it"
scancel --batch --signal=USR1 "$job"
until_it is_requeued "$job" 1 || fail "drained: not requeued"
agrees "$D/drained.h5" 1 'missing stopped'
until_it nudging "$job" has_ended "$job" || fail "drained: does not end"
is_in_state "$job" COMPLETED || fail "drained: $(state_of "$job")"
logged "$D/drained.log.txt" "start 2,"
[[ $(node_of "$job") != "$node" ]] || fail "the second start ran on $node, which is drained"
agrees "$D/drained.h5" 0 ''
is_as_undisturbed "$D/drained.h5"
scontrol update NodeName="$node" State=RESUME
echo "a node was drained, after $SECONDS s"

# ---- An element of an array fails: it alone is FAILED; the merge has all points, and says which failed.
export WARPSWEEP_FAKE='fail:stride=7'
site "OUTPUT=$D/array.h5" SHARES=2 "MERGE_OPTIONS=(--output=$D/merge.log.txt)"
submit --output="$D/array-%a.log.txt" >"$D/submitted"
array=$(sed -n 's/^Submitted an array as job //p' "$D/submitted")
merge=$(sed -n 's/^Submitted the merge of its files as job //p' "$D/submitted")
failed=0
for task in 1 2; do
    until_it has_ended "${array}_$task" || fail "element $task does not end"
    if is_in_state "${array}_$task" FAILED; then
        failed=$((failed + 1))
        agrees "$D/array.$task-of-2.h5" 1 failed
    else
        is_in_state "${array}_$task" COMPLETED || fail "element $task: $(state_of "${array}_$task")"
        agrees "$D/array.$task-of-2.h5" 0 ''
    fi
done
((failed == 1)) || fail "$failed of two elements failed"
until_it has_ended "$merge" || fail "the merge does not end"
is_in_state "$merge" FAILED || fail "the merge of a failed point is $(state_of "$merge")"
agrees "$D/array.h5" 1 failed
[[ $(reader table "$D/array.h5" --columns id --where status=failed | tail -n +2 | sort -u | wc -l) == 1 ]] ||
    fail "the merged file has not the one failed point"
echo "an element failed, after $SECONDS s"

# ---- A job is requeued while its checkpoint is being written: the sync of the new file stalls.
export WARPSWEEP_FAKE=sleep=5ms
site "OUTPUT=$D/checkpoint.h5" "WARPSWEEP='$D/slow_first'" LAUNCHER=mpirun
export STALLS_AT="$D/checkpoint.h5.tmp-*" STALLS_WHEN=$D/stall STALLS_FOR=600
job=$(submit --parsable --output="$D/checkpoint.log.txt")
until_it has_points "$D/checkpoint.h5" 4 || fail "checkpoint: no points"
touch "$D/stall"
until_it grep -qs "slow_disk: stalls at .*checkpoint.h5" "$D/checkpoint.log.txt" || fail "no checkpoint stalls"
seen=$(points_of "$D/checkpoint.h5")
scontrol requeue "$job"
until_it is_requeued "$job" 1 || fail "checkpoint: not requeued"
(($(points_of "$D/checkpoint.h5") >= seen)) || fail "points are lost: $seen before, $(points_of "$D/checkpoint.h5") after"
agrees "$D/checkpoint.h5" 1 'missing not_closed'
until_it nudging "$job" has_ended "$job" || fail "checkpoint: does not end"
is_in_state "$job" COMPLETED || fail "checkpoint: $(state_of "$job")"
agrees "$D/checkpoint.h5" 0 ''
is_as_undisturbed "$D/checkpoint.h5"
leftovers=$(find "$D" -name 'checkpoint.h5.*')
[[ -z $leftovers ]] || fail "left over: $leftovers"
echo "requeued in a checkpoint, with $seen points, after $SECONDS s"
