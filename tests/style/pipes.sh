#!/bin/sh
# pipes.sh ROOT - no `| grep -q` and no `| head -n` under pipefail: both leave the pipe before its end, and who still writes then
# fails by SIGPIPE, now and then. `| grep ... >/dev/null` and `| sed -n 1,5p` read to the end.
cd "$1" || exit 1
scripts=$({ grep -rl pipefail tests quickstart slurm examples .ci 2>/dev/null; grep -rlE '(source|^\.) .*/setup\.sh' tests; } | sort -u)
[ -n "$scripts" ] || { echo "no script has pipefail? the check is blind"; exit 1; }
# shellcheck disable=SC2086 # names without spaces, one a line
wrong=$(grep -nE '[^|]\| *(grep +-[a-zA-Z]*q|head( +-n)? +-?[0-9])' $scripts | grep -v '^tests/style/pipes.sh:')
[ -z "$wrong" ] || { echo "under pipefail, read the pipe to its end:"; echo "$wrong"; exit 1; }
