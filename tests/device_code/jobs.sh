#!/bin/sh
# jobs.sh BUILD SOURCE - every kernel of every shipped job compiles for every architecture that can have it.
failed=0
export WARPSWEEP_CACHE="$1/device_code"
for job in "$2"/jobs/*.yaml; do
    "$1/bin/warpsweep" check "$job" --arch sm_80 --arch sm_86 --arch sm_89 --arch sm_90a --arch sm_100a --arch sm_103a --arch sm_120a \
        --arch sm_121a || failed=1
done
exit $failed
