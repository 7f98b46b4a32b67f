#!/bin/sh
# quiet_grep.sh ROOT - no `| grep -q` under pipefail: grep -q leaves the pipe at its first hit, and who still writes then fails
# by SIGPIPE, now and then. `| grep ... >/dev/null` reads to the end.
cd "$1" || exit 1
scripts=$({ grep -rl pipefail tests quickstart slurm examples .ci 2>/dev/null; grep -rlE '(source|^\.) .*/setup\.sh' tests; } | sort -u)
[ -n "$scripts" ] || { echo "no script has pipefail? the check is blind"; exit 1; }
# shellcheck disable=SC2086 # names without spaces, one a line
wrong=$(grep -nE '[^|]\| *grep +-[a-zA-Z]*q' $scripts | grep -v '^tests/style/quiet_grep.sh:')
[ -z "$wrong" ] || { echo "under pipefail, read the pipe to its end:"; echo "$wrong"; exit 1; }
