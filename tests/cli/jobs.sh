#!/usr/bin/env bash
# jobs.sh JOB... - each passes `warpsweep check`, says at its top what it shows, and has supported points.
set -euo pipefail
status=0
(($# >= 10)) || { echo "only $# job files"; exit 1; }
for job in "$@"; do
    out=$("$WARPSWEEP" check "$job" 2>&1) || { echo "$job: $out"; status=1; continue; }
    grep -q 'expected .* on one rank' <<<"$out" || { echo "$job: no supported point: $out"; status=1; }
    [[ $(head -c 2 "$job") == '# ' ]] || { echo "$job does not say at its top what it shows"; status=1; }
done
exit $status
