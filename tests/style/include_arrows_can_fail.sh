#!/bin/sh
# include_arrows_can_fail.sh SCRIPT - the check of arrows notices each kind of wrong include.
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
for folder in base statistics core family process plan store worker launch cli; do
    mkdir -p "$root/src/$folder"
    echo '#include "base/error.h"' >"$root/src/$folder/fine.c"
done
mkdir "$root/kernels"
sh "$1" "$root" || { echo "complains about a tree that is right"; exit 1; }

# must_fail FILE INCLUDE
must_fail() {
    echo "#include $2" >"$root/$1"
    if sh "$script" "$root" >/dev/null; then
        echo "does not notice $2 in $1"
        exit 1
    fi
    rm "$root/$1"
}
script=$1
must_fail src/base/wrong.c '"core/point.h"'
must_fail src/base/wrong.h '"statistics/summary.h"'
must_fail src/statistics/wrong.c '"core/point.h"'
must_fail src/core/wrong.h '"family/family.h"'
must_fail src/family/wrong.c '"kernels/registry.h"'
must_fail kernels/wrong.c '"worker/pool.h"'
must_fail src/plan/wrong.c '"store/store.h"'
must_fail src/store/wrong.c '"launch/launch.h"'
must_fail src/worker/wrong.c '"launch/launch.h"'
must_fail src/cli/wrong.c '"worker/backend.h"'
must_fail src/worker/wrong.cpp '"store/store.h"'
must_fail kernels/wrong.cuh '"worker/pool.h"'
must_fail src/cli/wrong.cpp '<mpi.h>'
must_fail kernels/wrong.c '<cuda_runtime_api.h>'
must_fail src/cli/wrong.c '<mpi.h>'
must_fail src/launch/wrong.c '<hdf5.h>'
must_fail src/cli/wrong.c '<cuda_runtime_api.h>'
must_fail src/worker/wrong.c '<nvrtc.h>'
must_fail src/plan/wrong.h '  <hwloc.h>'
