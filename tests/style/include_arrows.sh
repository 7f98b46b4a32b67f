#!/bin/sh
# include_arrows.sh ROOT - no module includes what the design's arrows do not let it:
# base <- core <- kernels <- {plan, store, worker}; launch uses plan and store; cli all of those but the worker.
cd "$1" || exit 1
bad=0

# check FOLDER ALLOWED: every #include "module/..." in FOLDER names one of the ALLOWED modules.
check() {
    wrong=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[a-z0-9_]+/' --include='*.[ch]' "$1" |
        grep -vE "\"($2)/")
    if [ -n "$wrong" ]; then
        echo "$1 may include only: $2"
        echo "$wrong"
        bad=1
    fi
}
# only HEADER FOLDERS: system headers that belong to some folders alone.
only() {
    wrong=$(grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($1)" --include='*.[ch]' src kernels |
        grep -vE "^($2)")
    if [ -n "$wrong" ]; then
        echo "$1 belongs to $2"
        echo "$wrong"
        bad=1
    fi
}
check src/base 'base'
check src/core 'base|core'
check kernels 'base|core|kernels'
check src/plan 'base|core|kernels|plan'
check src/store 'base|core|kernels|store'
check src/worker 'base|core|kernels|worker'
check src/launch 'base|core|kernels|plan|store|launch'
check src/cli 'base|core|kernels|plan|store|launch|cli'
only 'mpi\.h' 'src/launch/'
only 'hdf5' 'src/store/'
only 'yaml\.h' 'src/plan/'
only 'hwloc' 'src/launch/|src/worker/affinity'
only '(cuda|nvrtc|nvml|cupti|cublas|cub/|driver_types|vector_types)' 'src/worker/cu'
exit $bad
