#!/usr/bin/env bash
# A reader that leaves is no error, a full disk is one.
source "$(dirname "$0")/setup.sh"
for arguments in "kernels copy" "--help" "table s.h5 -c all" "status s.h5" "--version"; do
    # shellcheck disable=SC2086 # words
    (cd "$D" && "$WARPSWEEP" $arguments 2>"$D/errors") | true || true # the shell calls a SIGPIPE a failure
    [[ ! -s $D/errors ]] || fail "$arguments into a closed pipe says: $(head -n 3 "$D/errors")"
    [[ -c /dev/full && $arguments != status* ]] || continue
    status=0
    # shellcheck disable=SC2086
    (cd "$D" && "$WARPSWEEP" $arguments >/dev/full 2>"$D/errors") || status=$?
    [[ $status == 3 && $(wc -l <"$D/errors") == 1 ]] || fail "$arguments > /dev/full: exit $status: $(cat "$D/errors")"
    grep -q 'No space left' "$D/errors" || fail "$(cat "$D/errors")"
    # shellcheck disable=SC2086
    (cd "$D" && "$WARPSWEEP" $arguments >&- 2>"$D/errors") && fail "$arguments with a closed stdout ends with 0"
    grep -q 'cannot write the output' "$D/errors" || fail "$arguments with a closed stdout: $(cat "$D/errors")"
done
# Under a launcher one rank complains for all.
OMPI_COMM_WORLD_RANK=1 "$WARPSWEEP" run 2>"$D/errors" && fail "run without a job ended with 0"
[[ ! -s $D/errors ]] || fail "rank 1 speaks: $(cat "$D/errors")"
