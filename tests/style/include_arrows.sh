#!/bin/sh
# include_arrows.sh ROOT - no module includes what the design's arrows do not let it:
# base <- statistics <- core <- family <- kernels <- {plan, worker}; store and process use core; launch uses plan,
# store and process; cli all of those but the worker.
cd "$1" || exit 1
bad=0

# check FOLDER ALLOWED: every #include "module/..." in FOLDER names one of the ALLOWED modules.
check() {
    wrong=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[a-z0-9_]+/' --include='*.[ch]' --include='*.cpp' --include='*.cu' --include='*.cuh' "$1" |
        grep -vE "\"($2)/")
    if [ -n "$wrong" ]; then
        echo "$1 may include only: $2"
        echo "$wrong"
        bad=1
    fi
}
# only HEADER FOLDERS: system headers that belong to some folders alone.
only() {
    wrong=$(grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($1)" --include='*.[ch]' --include='*.cpp' --include='*.cu' --include='*.cuh' src kernels |
        grep -vE "^($2)")
    if [ -n "$wrong" ]; then
        echo "$1 belongs to $2"
        echo "$wrong"
        bad=1
    fi
}
check src/base 'base'
check src/statistics 'base|statistics'
check src/core 'base|statistics|core'
check src/family 'base|statistics|core|family'
check src/process 'base|statistics|core|process'
check kernels 'base|statistics|core|family|kernels'
check src/plan 'base|statistics|core|family|kernels|plan'
check src/store 'base|statistics|core|store'
check src/worker 'base|statistics|core|family|kernels|process|worker'
check src/launch 'base|statistics|core|family|kernels|plan|store|process|launch'
check src/cli 'base|statistics|core|family|kernels|plan|store|process|launch|cli'
only 'mpi\.h' 'src/launch/(mailbox_mpi|run|world|environment)\.'
only 'hdf5' 'src/store/'
only 'yaml\.h' 'src/plan/'
only 'hwloc' 'src/launch/runner/binding|src/worker/affinity'
only '(cuda|nvrtc|nvml|cupti|cublas|cub/|driver_types|vector_types)' 'src/worker/cuda/|kernels/[a-z_/]*\.cuh?:'
exit $bad
