#!/usr/bin/env bash
# tricks.sh WARPSWEEP [BACKEND], with BUILD in the environment: kernels that look faster than they are fail, each with its reason, and an
# honest one does not. Of some tricks it is chance which check finds them first.
set -euo pipefail
warpsweep=$1 backend=${2:-host} here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../find_python.sh
source "$here/../find_python.sh"
modules=numpy rows=2048 columns=1024
# On a GPU looking at an element takes as long as all of this work on a small array.
[[ $backend == host ]] || modules='numpy, torch' rows=8192 columns=4096
WARPSWEEP_PYTHON=$(find_python "$modules")
export WARPSWEEP_PYTHON
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$here/tricks.py" "$folder"
cd "$folder"
export WARPSWEEP_CACHE=$folder/cache
tricks=(output_there pointer_seen inputs_seen first_call every_other stops thread changes_input)
for trick in honest "${tricks[@]}"; do # each in a process of its own: they count their calls
    "$warpsweep" run --kernel tricks --set trick=$trick --set rows=$rows --set columns=$columns --set timing.replicates=2 --set timing.min_samples=5 --set timing.max_time=100ms \
        --set timing.cache=cold --kernels . --backend "$backend" --counters none -o $trick.h5 >log 2>&1 || [[ $trick != honest ]] ||
        { cat log; exit 1; }
    "$warpsweep" table $trick.h5 -c trick,status,message -f tsv | tail -n +2
done | tee outcomes
outcome() { # outcome TRICK PATTERN: it failed, with a message that matches
    grep -Eq "^$1	failed	.*($2)" outcomes || { echo "$1: expected a failure with '$2'"; exit 1; }
}
grep -q '^honest	ok	' outcomes || { echo "an honest call is refused"; exit 1; }
outcome output_there 'the referee: its time depends on what is in its outputs'
outcome inputs_seen 'the referee: its time depends on what is in its outputs'
# A call on a GPU is captured once: what it would do later does not run.
[[ $backend != host ]] || outcome stops "output 'y'.*compared elements differ"
for trick in pointer_seen first_call every_other thread changes_input; do
    outcome $trick "output 'y'.*compared elements differ|its time depends on what is in its outputs|queues nothing|: impossible"
done
[[ $backend == cuda ]] || exit 0

# A kernel whose blocks return if their first element is right, in the place of one that does the work.
mkdir triad
"${CC:-cc}" -std=gnu17 -shared -fPIC -I "$here/../../src" "$here/../../examples/family/triad.c" -o triad/triad.so
sed 's/^    if (i < n)$/    const u64 first = (u64)blockIdx.x * BLOCK;\
    if (first < n \&\& a[first] == b[first] + ELEMENT(3) * c[first])\
        return;\
    __syncthreads();\
&/' "$here/../../examples/family/triad.cu" >triad/triad.cu
"$warpsweep" run --kernel triad --set size=1MiB,64MiB,1GiB --set cache=cold,hot --kernels triad --backend cuda --counters none \
    -o triad.h5 >log 2>&1 || true
"$warpsweep" table triad.h5 -c size,cache,status,message -f tsv | tail -n +2 | tee outcomes
[[ $(grep -c '	failed	the referee: its time depends on what is in its outputs' outcomes) == 6 ]] || { echo "a kernel that skips its work passes"; exit 1; }
