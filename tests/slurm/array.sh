#!/usr/bin/env bash
# An array of three tasks under mpirun, each with a share of the points, one of them told to stop and requeued; and
# the job that merges their files, which waits for all. The result has the points of an undisturbed run.
set -euo pipefail
# shellcheck source=tests/slurm/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
SECONDS=0

export WARPSWEEP_FAKE=sleep=150ms
site "OUTPUT=$D/array.h5" SHARES=3 LAUNCHER=mpirun "MERGE_OPTIONS=(--output=$D/merge.log.txt)"
submit --output="$D/array-%a.log.txt" >"$D/submitted"
array=$(sed -n 's/^Submitted an array as job //p' "$D/submitted")
merge=$(sed -n 's/^Submitted the merge of its files as job //p' "$D/submitted")
until_it has_points "$D/array.2-of-3.h5" 8 || fail "task 2 does not get on"
scancel --batch --signal=USR1 "${array}_2"
until_it is_requeued "${array}_2" 1 || fail "task 2 is not requeued"
for task in 1 3; do
    until_it has_ended "${array}_$task" || fail "task $task does not end"
    is_in_state "${array}_$task" COMPLETED || fail "task $task is $(state_of "${array}_$task"), not COMPLETED"
    [[ $(restarts_of "${array}_$task") == 0 ]] || fail "task $task was requeued, too"
done
is_in_state "$merge" PENDING || fail "the merge does not wait for the task that was requeued"
left=$(($(wc -l <"$D/undisturbed") / 3 - $(points_of "$D/array.2-of-3.h5")))
((left > 0)) || fail "task 2 was over too soon to test anything"
echo "two tasks COMPLETED, one requeued with $left points left, after $SECONDS s"

# One file is missing yet: the merge of what is there says so, and has no more than there is.
code=0
"$WARPSWEEP" merge "$D/array.1-of-3.h5" "$D/array.3-of-3.h5" -o "$D/part.h5" >"$D/part.log.txt" || code=$?
((code == 1)) || fail "the merge of two shares of three ends with $code"
logged "$D/part.log.txt" '160 of 240 points, from 2 files, 80 left'
logged "$D/part.log.txt" 'missing shares: 2 of 3'

until_it nudging "${array}_2" has_ended "${array}_2" || fail "task 2 does not end"
is_in_state "${array}_2" COMPLETED || fail "task 2 is $(state_of "${array}_2"), not COMPLETED"
until_it has_ended "$merge" || fail "the merge does not end"
is_in_state "$merge" COMPLETED || fail "the merge is $(state_of "$merge"), not COMPLETED"
is_as_undisturbed "$D/array.h5"
echo "merged, after $SECONDS s"
