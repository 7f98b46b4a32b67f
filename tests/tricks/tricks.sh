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
tricks=(output_there pointer_seen inputs_seen first_call every_other stops thread changes_input seed_known from_prepare constant half patches_numpy)
[[ $backend == host ]] || tricks+=(side_stream capture_only capture_skips)
replicates=2
[[ $backend == host ]] || replicates=1 # PyTorch takes seconds to load
options=(--set rows=$rows --set columns=$columns --set timing.replicates=$replicates --set timing.min_samples=5 --set timing.max_time=100ms
    --set timing.cache=cold --seed 7 --backend "$backend" --counters none)
run_trick() { # in a process of its own, because they count their calls
    "$warpsweep" run --kernel tricks --set variant="$1" --kernels . "${options[@]}" -o "$1".h5 >"$1".log 2>&1 || [[ $1 != honest ]] ||
        { cat "$1".log; exit 1; }
    "$warpsweep" table "$1".h5 -c variant,status,message -f tsv | tail -n +2 >"$1".outcome
}
together=1
[[ $backend == host ]] || together=4 # PyTorch takes longer to load than a trick to run
run_trick honest
for trick in "${tricks[@]}"; do
    while (($(jobs -pr | wc -l) >= together)); do wait -n; done
    run_trick "$trick" &
done
wait
for trick in honest "${tricks[@]}"; do cat "$trick".outcome; done | tee outcomes
outcome() { # outcome TRICK PATTERN: it failed, with a message that matches
    grep -Eq "^$1	failed	.*($2)" outcomes || { echo "$1: expected a failure with '$2'"; exit 1; }
}
grep -q '^honest	ok	' outcomes || { echo "an honest call is refused"; exit 1; }
outcome output_there 'the referee: its time depends on what is in its outputs'
outcome inputs_seen 'the referee: its time depends on what is in its outputs'
outcome seed_known 'the referee: its time depends on what is in its outputs'
for trick in constant half patches_numpy; do outcome $trick "output 'y'.*compared elements differ"; done
outcome from_prepare "the referee: output 'y'.*compared elements differ"
if [[ $backend == cuda ]]; then
    for trick in side_stream capture_skips; do outcome $trick .; done
    # The graph that is verified is the graph that is timed: whatever acts in capture alone acts in every launch.
    grep -q '^capture_only	ok	' outcomes || { echo "capture_only: expected ok"; exit 1; }
fi
# A call on a GPU is captured once: what it would do later does not run.
[[ $backend != host ]] || outcome stops "output 'y'.*compared elements differ"
for trick in pointer_seen first_call every_other thread changes_input; do
    outcome $trick "output 'y'.*compared elements differ|its time depends on what is in its outputs|queues nothing|: impossible"
done

# The second version of a pair brings more than code: it is refused, or what it brings is not used.
mkdir old
cp tricks.py old
candidate() { # candidate NAME PATTERN SED-SCRIPT: of the second version, a file that is changed so
    rm -rf new
    mkdir new
    sed "$3" old/tricks.py >new/tricks.py
    [[ $1 == same ]] || ! cmp -s old/tricks.py new/tricks.py || { echo "$1: $3 changes nothing"; exit 1; }
    "$warpsweep" run --kernel tricks --set variant=honest "${options[@]}" --kernels old=old --kernels new=new -o pair_$1.h5 >log 2>&1 || true
    "$warpsweep" table pair_$1.h5 -c version,status,message -f tsv | tail -n +2 | tee outcomes
    grep -q '^old	ok' outcomes || { echo "$1: the first version suffers"; cat log; exit 1; }
    grep -Eq "^new	$2" outcomes || { echo "$1: expected $2"; cat log; exit 1; }
}
zero='/^def call/,/^    compute/s/^    compute(x, y)/    y[:] = 0/'
differ="failed	output 'y'.*compared elements differ"
candidate same 'ok	$' ''
candidate tolerance 'failed	version new brings another tolerance than version old' "s/^tolerance = .*/tolerance = (0, 1e9)/; $zero"
candidate work 'failed	version new brings other work than version old' '$adef work(p):\n    return {"flops": 10**15}'
candidate inputs "failed	version new brings another buffer 'x' than version old" 's/(p.rows, p.columns)), "y"/(p.rows, p.columns), (0, 0)), "y"/'
candidate reference "$differ" "$zero; s/^    return y\$/    return 0 * y/"
candidate numpy "$differ" "$zero; s/^state = /np.exp = lambda a, out=None, f=np.exp: 0 * a if out is None else f(a, out=out); np.sqrt = lambda a, out=None, f=np.sqrt: 0 * a if out is None else f(a, out=out)\n&/"
candidate reaches "$differ" "$zero; s/^state = /import __main__\n__main__.families[0].module.reference = lambda p, x: 0 * x\n&/"
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

# Device code that computes less, or spoils what the next launch reads.
device() { # device NAME PATTERN STATEMENT: in the place of the triad's
    sed "s/^        a\[i\] = .*/        $3/" "$here/../../examples/family/triad.cu" >triad/triad.cu
    "$warpsweep" run --kernel triad --set size=64MiB --kernels triad --backend cuda --counters none -o device_$1.h5 >log 2>&1 || true
    "$warpsweep" table device_$1.h5 -c status,message -f tsv | tail -n +2 | tee outcomes
    grep -Eq "^$2" outcomes || { echo "device code, $1: expected $2"; cat log; exit 1; }
}
device honest 'ok	' 'a[i] = b[i] + ELEMENT(3) * c[i];'
device constant 'failed	output .*compared elements differ' 'a[i] = ELEMENT(0);'
device half 'failed	output .*compared elements differ' 'a[i] = __int_as_float(__float_as_int(b[i] + 3 * c[i]) \& 0xffff0000);'
device changes_input 'failed	.*compared elements differ' 'a[i] = b[i] + ELEMENT(3) * c[i], const_cast<ELEMENT *>(b)[i] = 0;'
